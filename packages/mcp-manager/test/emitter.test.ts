import { describe, expect, it } from "vitest";
import { Emitter } from "../src/emitter.ts";

interface Events {
  said: string;
}

function setUp() {
  const logged: [string, unknown][] = [];
  const emitter = new Emitter<Events>((_level, message, fields) => logged.push([message, fields?.error]));
  return { emitter, logged };
}

describe("an emitter", () => {
  it("[N11] calls the other listeners when one throws, and logs the error", () => {
    const { emitter, logged } = setUp();
    const heard: string[] = [];
    emitter.on("said", () => {
      throw new Error("broken");
    });
    emitter.on("said", (text) => heard.push(text));
    emitter.emit("said", "hello");
    expect(heard).toEqual(["hello"]);
    expect(logged).toEqual([['A listener of "said" threw.', "Error: broken"]]);
  });

  it("logs the rejection of an async listener instead of leaving it unhandled", async () => {
    const { emitter, logged } = setUp();
    emitter.on("said", async () => {
      await Promise.resolve();
      throw new Error("later");
    });
    emitter.emit("said", "hello");
    await new Promise((resolve) => setImmediate(resolve));
    expect(logged).toEqual([['A listener of "said" threw.', "Error: later"]]);
  });

  it("logs a thrown value that cannot be converted to a string, sync or async", async () => {
    const { emitter, logged } = setUp();
    const odd: unknown = Object.create(null);
    emitter.on("said", () => {
      throw odd;
    });
    emitter.on("said", () => Promise.reject(odd) as never);
    emitter.emit("said", "hello");
    await new Promise((resolve) => setImmediate(resolve));
    const complaint = ['A listener of "said" threw.', "a value without a text"];
    expect(logged).toEqual([complaint, complaint]);
  });

  it("removes only one registration of a listener that was added twice", () => {
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

  it("[N9] delivers the latest buffered events to the first listener only, in order", () => {
    const emitter = new Emitter<Events>(() => {}, { said: 3 });
    for (const text of ["one", "two", "three", "four"]) emitter.emit("said", text);
    const first: string[] = [];
    const second: string[] = [];
    emitter.on("said", (text) => first.push(text));
    emitter.on("said", (text) => second.push(text));
    emitter.emit("said", "five");
    expect(first).toEqual(["two", "three", "four", "five"]);
    expect(second).toEqual(["five"]);
  });

  it("[N9] does not buffer events again after the first listener was removed", () => {
    const emitter = new Emitter<Events>(() => {}, { said: 3 });
    emitter.on("said", () => {})();
    emitter.emit("said", "one");
    const heard: string[] = [];
    emitter.on("said", (text) => heard.push(text));
    expect(heard).toEqual([]);
  });

  it("does not buffer events by default", () => {
    const { emitter } = setUp();
    emitter.emit("said", "before");
    const heard: string[] = [];
    emitter.on("said", (text) => heard.push(text));
    expect(heard).toEqual([]);
  });

  it("delivers events emitted by a listener after the current one, in the same order to all", () => {
    const emitter = new Emitter<Events & { asked: string }>(() => {});
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

  it("delivers neither the current nor queued events to a listener removed during delivery", () => {
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

  it("delivers only later events to a listener added during delivery", () => {
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

  it("[N9] delivers buffered, then queued events to a first listener added during delivery", () => {
    const emitter = new Emitter<Events & { asked: string }>(() => {}, { said: 3 });
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
