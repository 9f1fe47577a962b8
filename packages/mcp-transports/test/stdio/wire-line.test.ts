import { expect, test } from "vitest";
import { parseMessages } from "../../src/stdio/wire-line.ts";

const MESSAGE = { jsonrpc: "2.0", method: "notifications/x" };

test("a message and a batch of messages are read", () => {
  expect(parseMessages(JSON.stringify(MESSAGE))).toEqual([MESSAGE]);
  expect(parseMessages(JSON.stringify([MESSAGE, MESSAGE]))).toEqual([MESSAGE, MESSAGE]);
});

test.each([
  "Listening…",
  "{",
  "42",
  "null",
  '"text"',
  "[]",
  "{}",
  '{"level":"info"}',
  "[1]",
  "[".repeat(200_000),
])("%.20s is not taken for a message", (line) => {
  expect(parseMessages(line)).toBeUndefined();
});
