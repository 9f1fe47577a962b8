import { describe, expect, it } from "vitest";
import { createEmitter } from "../src/emitter.ts";

interface Events {
  said: string;
}

function setUp() {
  const logged: [string, unknown][] = [];
  const emitter = createEmitter<Events>((_level, message, fields) => logged.push([message, fields?.error]));
  return { emitter, logged };
}

describe("listeners", () => {
  it("[N11] hear what is said although one before them throws, and that is logged", () => {
    const { emitter, logged } = setUp();
    const heard: string[] = [];
    emitter.on("said", () => {
      throw new Error("broken");
    });
    emitter.on("said", (text) => heard.push(text));
    emitter.emit("said", "hello");
    expect(heard).toEqual(["hello"]);
    expect(logged).toEqual([['a listener of "said" threw', "Error: broken"]]);
  });

  it("may be asynchronous and fail later: that is logged and rejects nowhere", async () => {
    const { emitter, logged } = setUp();
    emitter.on("said", async () => {
      await Promise.resolve();
      throw new Error("later");
    });
    emitter.emit("said", "hello");
    await new Promise((resolve) => setImmediate(resolve));
    expect(logged).toEqual([['a listener of "said" threw', "Error: later"]]);
  });

  it("stop hearing when they are told to, each registration by itself", () => {
    const { emitter } = setUp();
    const heard: string[] = [];
    const listener = (text: string) => void heard.push(text);
    const stop = emitter.on("said", listener);
    emitter.on("said", listener);
    stop();
    stop();
    emitter.emit("said", "once");
    expect(heard).toEqual(["once"]);
  });
});
