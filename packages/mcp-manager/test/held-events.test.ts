import { expect, it } from "vitest";
import { createEmitter } from "../src/emitter.ts";
import { holdEvents } from "../src/held-events.ts";

it("later events are delivered after an emit has thrown", () => {
  const emitter = createEmitter<{ said: string }>(() => {});
  const fragile: typeof emitter = {
    on: emitter.on,
    emit(event, text) {
      if (text === "broken") throw new Error(text);
      emitter.emit(event, text);
    },
  };
  const events = holdEvents(fragile);
  const heard: string[] = [];
  events.on("said", (text) => heard.push(text));
  expect(() => events.after(() => events.emit("said", "broken"))).toThrow("broken");
  events.emit("said", "hello");
  expect(heard).toEqual(["hello"]);
});
