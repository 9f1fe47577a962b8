import { describe, expect, test } from "vitest";
import { readMessages } from "../../src/message-check.ts";

const answer = { jsonrpc: "2.0", id: 1, result: {} };

describe("readMessages", () => {
  test.each<readonly [unknown, number]>([
    [answer, 1],
    [[answer, { jsonrpc: "2.0", method: "a" }], 2],
    [[], 0],
    [{ jsonrpc: "2.0", method: "a", id: 0, params: {} }, 1],
    [{ jsonrpc: "2.0", id: null, error: { code: -32700, message: "?" } }, 1],
    // What is null and may be left out is absent.
    [{ jsonrpc: "2.0", method: "a", id: null, params: null }, 1],
    [{ jsonrpc: "2.0", method: null, id: 1, result: {} }, 1],
    // Accepted, so that the pending request learns that its answer is invalid.
    [{ jsonrpc: "2.0", id: 1 }, 1],
    [{ jsonrpc: "2.0", id: 1, result: null }, 1],
    [{ jsonrpc: "2.0", id: 1, error: "bad" }, 1],
  ])("accepts %j", (value, count) => {
    expect(readMessages(JSON.stringify(value))).toHaveLength(count);
  });

  test.each<readonly [unknown]>([
    [{ hello: "world" }],
    [null],
    ["text"],
    [{ jsonrpc: "1.0", id: 1, result: {} }],
    [{ jsonrpc: "2.0" }],
    [{ jsonrpc: "2.0", error: "bad" }],
    [{ jsonrpc: "2.0", id: {}, result: {} }],
    [{ jsonrpc: "2.0", id: 1.5, result: {} }],
    [{ jsonrpc: "2.0", method: 1 }],
    [[answer, 1]],
  ])("[X11] refuses %j", (value) => {
    expect(() => readMessages(JSON.stringify(value))).toThrow(SyntaxError);
  });

  test("[T86] refuses text that is nested too deep or has too many parts", () => {
    const deep = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"result":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`;
    const wide = `{"jsonrpc":"2.0","id":1,"result":{"a":[${"{},".repeat(1_000_001)}0]}}`;
    expect(readMessages(deep(250))).toHaveLength(1);
    for (const bomb of [deep(300), deep(200_000), wide])
      expect(() => readMessages(bomb)).toThrow(SyntaxError);
  });
});
