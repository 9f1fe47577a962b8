import { expect, test, vi } from "vitest";
import { formatLine, takeMessages } from "../../src/stdio/wire-line.ts";

const MESSAGE = { jsonrpc: "2.0", method: "notifications/x" };

/** What is taken from a line, and whether there was anything else in it. */
function read(line: string) {
  const messages: unknown[] = [];
  const isStray = !takeMessages(line, (message) => messages.push(message) > 0);
  return { messages, isStray };
}

test("a message is read, also behind a byte order mark and before a carriage return", () => {
  const line = JSON.stringify(MESSAGE);
  for (const text of [line, `\uFEFF${line}`, `${line}\r`, `  ${line} `])
    expect(read(text)).toEqual({ messages: [MESSAGE], isStray: false });
});

test("[R16] a message is sent as one line, also to readers for whom other characters end one", () => {
  const params = { text: "a\u2028b\u2029c\nd\re" };
  const line = formatLine({ jsonrpc: "2.0", method: "x", params });
  expect(line).not.toMatch(/[\n\r\u2028\u2029]/);
  expect(JSON.parse(line).params).toEqual(params);
});

test("a batch of messages is read", () => {
  expect(read(JSON.stringify([MESSAGE, MESSAGE]))).toEqual({
    messages: [MESSAGE, MESSAGE],
    isStray: false,
  });
});

test("[R18] of a batch with a part that is no message, the messages are read", () => {
  expect(read(JSON.stringify([1, MESSAGE, { level: "info" }]))).toEqual({
    messages: [MESSAGE],
    isStray: true,
  });
});

test.each(["", " ", "\r", "\t", "\uFEFF"])("%j holds nothing", (line) => {
  expect(read(line)).toEqual({ messages: [], isStray: false });
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
  expect(read(line)).toEqual({ messages: [], isStray: true });
});

test("of a batch with a part that is not taken, the others are taken", () => {
  const taken: unknown[] = [];
  const isWhole = takeMessages(JSON.stringify([MESSAGE, MESSAGE]), (message) => taken.push(message) > 1);
  expect({ taken, isWhole }).toEqual({ taken: [MESSAGE, MESSAGE], isWhole: false });
});

test("a message to which not even the end of its line could be added is not sent", async () => {
  const text = (length: number) => ({ ...MESSAGE, params: { text: "x".repeat(length) } }) as const;
  const { length } = formatLine(text(0) as never);
  const { constants } = process.getBuiltinModule("node:buffer");
  // A text of the real length is half a gigabyte.
  const spy = vi.spyOn(process, "getBuiltinModule").mockReturnValue({
    constants: { ...constants, MAX_STRING_LENGTH: length + 10 },
  } as never);
  vi.resetModules();
  const limited = await import("../../src/stdio/wire-line.ts").finally(() => spy.mockRestore());
  expect(limited.formatLine(text(9) as never)).toHaveLength(length + 9);
  expect(() => limited.formatLine(text(10) as never)).toThrow(
    expect.objectContaining({ facts: { kind: "unserializable" } }),
  );
});
