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

  it("may throw what has no text, at once or later", async () => {
    const { emitter, logged } = setUp();
    const odd: unknown = Object.create(null);
    emitter.on("said", () => {
      throw odd;
    });
    emitter.on("said", () => Promise.reject(odd) as never);
    emitter.emit("said", "hello");
    await new Promise((resolve) => setImmediate(resolve));
    const complaint = ['a listener of "said" threw', "a value without a text"];
    expect(logged).toEqual([complaint, complaint]);
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

  it("hear what another brings about after what it heard, all in the same order", () => {
    const emitter = createEmitter<Events & { asked: string }>(() => {});
    const heard: string[] = [];
    emitter.on("said", (text) => {
      heard.push(`first ${text}`);
      if (text !== "one") return;
      emitter.emit("asked", "two");
      emitter.emit("said", "three");
      heard.push("first is done");
    });
    emitter.on("said", (text) => heard.push(`second ${text}`));
    emitter.on("asked", (text) => heard.push(`asked ${text}`));
    emitter.emit("said", "one");
    expect(heard).toEqual([
      "first one",
      "first is done",
      "second one",
      "asked two",
      "first three",
      "second three",
    ]);
  });

  it("that another stops do not hear what is being told, nor what waits to be", () => {
    const { emitter } = setUp();
    const heard: string[] = [];
    emitter.on("said", (text) => {
      if (text === "one") emitter.emit("said", "two");
      stop();
    });
    const stop = emitter.on("said", (text) => heard.push(text));
    emitter.emit("said", "one");
    expect(heard).toEqual([]);
  });

  it("that come while something is told hear what is said afterwards, and no more", () => {
    const { emitter } = setUp();
    const heard: string[] = [];
    emitter.on("said", (text) => {
      if (text !== "one") return;
      emitter.emit("said", "two");
      emitter.on("said", (later) => heard.push(later));
      emitter.emit("said", "three");
    });
    emitter.emit("said", "one");
    expect(heard).toEqual(["three"]);
  });

  it("[N9] of an event that is kept miss nothing that waits to be told, and hear it in order", () => {
    const emitter = createEmitter<Events & { asked: string }>(() => {}, { said: 3 });
    const heard: string[] = [];
    emitter.emit("said", "one");
    emitter.on("asked", () => {
      emitter.emit("said", "two");
      emitter.on("said", (text) => {
        heard.push(text);
        if (text === "one") emitter.emit("said", "three");
      });
    });
    emitter.emit("asked", "");
    expect(heard).toEqual(["one", "two", "three"]);
  });
});
