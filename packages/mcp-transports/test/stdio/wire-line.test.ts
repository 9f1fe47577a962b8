import { expect, test, vi } from "vitest";
import { takeMessages } from "../../src/stdio/message-reader.ts";
import { formatLine } from "../../src/stdio/write-queue.ts";

const MESSAGE = { jsonrpc: "2.0", method: "notifications/x" };

/** The messages of a line, and whether it contains anything else. */
function read(line: string) {
  const messages: unknown[] = [];
  const isStray = !takeMessages(line, (message) => messages.push(message) > 0);
  return { messages, isStray };
}

test("reads a message after a byte order mark and before a carriage return", () => {
  const line = JSON.stringify(MESSAGE);
  for (const text of [line, `\uFEFF${line}`, `${line}\r`, `  ${line} `])
    expect(read(text)).toEqual({ messages: [MESSAGE], isStray: false });
});

test("[R16] formats a message as one line without Unicode line separators", () => {
  const params = { text: "a\u2028b\u2029c\nd\re" };
  const line = formatLine({ jsonrpc: "2.0", method: "x", params });
  expect(line).not.toMatch(/[\n\r\u2028\u2029]/);
  expect(JSON.parse(line).params).toEqual(params);
});

test("reads a batch of messages", () => {
  expect(read(JSON.stringify([MESSAGE, MESSAGE]))).toEqual({
    messages: [MESSAGE, MESSAGE],
    isStray: false,
  });
});

test("[R18] reads the messages of a batch and reports its other parts as stray", () => {
  expect(read(JSON.stringify([1, MESSAGE, { level: "info" }]))).toEqual({
    messages: [MESSAGE],
    isStray: true,
  });
});

test.each(["", " ", "\r", "\t", "\uFEFF"])("%j is a blank line without messages", (line) => {
  expect(read(line)).toEqual({ messages: [], isStray: false });
});

test.each([
  ["a log line", "Listening…"],
  ["an unclosed object", "{"],
  ["a number", "42"],
  ["null", "null"],
  ["a string", '"text"'],
  ["an empty batch", "[]"],
  ["an empty object", "{}"],
  ["a log entry in JSON", '{"level":"info"}'],
  ["a batch of a number", "[1]"],
  ["deeply nested JSON", "[".repeat(200_000)],
])("%s is not read as a message", (_, line) => {
  expect(read(line)).toEqual({ messages: [], isStray: true });
});

test("reads the rest of a batch after one message is rejected", () => {
  const taken: unknown[] = [];
  const isWhole = takeMessages(JSON.stringify([MESSAGE, MESSAGE]), (message) => taken.push(message) > 1);
  expect({ taken, isWhole }).toEqual({ taken: [MESSAGE, MESSAGE], isWhole: false });
});

test("refuses a message whose line would exceed the maximum string length", async () => {
  const text = (length: number) => ({ ...MESSAGE, params: { text: "x".repeat(length) } }) as const;
  const { length } = formatLine(text(0) as never);
  const { constants } = process.getBuiltinModule("node:buffer");
  // A text of the real length is half a gigabyte.
  const spy = vi.spyOn(process, "getBuiltinModule").mockReturnValue({
    constants: { ...constants, MAX_STRING_LENGTH: length + 10 },
  } as never);
  vi.resetModules();
  const limited = await import("../../src/stdio/write-queue.ts").finally(() => spy.mockRestore());
  expect(limited.formatLine(text(9) as never)).toHaveLength(length + 9);
  expect(() => limited.formatLine(text(10) as never)).toThrow(
    expect.objectContaining({ facts: { kind: "unserializable" } }),
  );
});
