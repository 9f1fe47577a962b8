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

  it("[N9] of an event that is kept hear what they missed, in order, the first of them only", () => {
    const emitter = createEmitter<Events>(() => {}, { said: 3 });
    for (const text of ["one", "two", "three", "four"]) emitter.emit("said", text);
    const first: string[] = [];
    const second: string[] = [];
    emitter.on("said", (text) => first.push(text));
    emitter.on("said", (text) => second.push(text));
    emitter.emit("said", "five");
    expect(first).toEqual(["two", "three", "four", "five"]);
    expect(second).toEqual(["five"]);
  });

  it("[N9] that have stopped hearing are missed by nobody: nothing is kept for the next", () => {
    const emitter = createEmitter<Events>(() => {}, { said: 3 });
    emitter.on("said", () => {})();
    emitter.emit("said", "one");
    const heard: string[] = [];
    emitter.on("said", (text) => heard.push(text));
    expect(heard).toEqual([]);
  });

  it("of other events hear only what is said from then on", () => {
    const { emitter } = setUp();
    emitter.emit("said", "before");
    const heard: string[] = [];
    emitter.on("said", (text) => heard.push(text));
    expect(heard).toEqual([]);
  });
});
