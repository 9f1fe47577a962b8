import { describe, expect, test, vi } from "vitest";
import { LineSplitter } from "../../src/stdio/message-reader.ts";

function linesOf(chunks: readonly (Buffer | string)[], maxLineBytes = 100): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter(maxLineBytes, (line) => lines.push(line));
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  return lines;
}

describe("splitting a stream into lines", () => {
  test.each([
    ["one line in one chunk", ["abc\n"], ["abc"]],
    ["several lines in one chunk", ["a\nb\n\nc\n"], ["a", "b", "", "c"]],
    ["one line in many chunks", ["a", "b", "c\n"], ["abc"]],
    ["CRLF line ends, whose carriage return JSON ignores", ["a\r", "\nb\r\n"], ["a\r", "b\r"]],
    ["an unfinished last line", ["a\nb"], ["a"]],
  ])("%s", (_, chunks, expected) => {
    expect(linesOf(chunks)).toEqual(expected);
  });

  test("[X16] a character split across chunks stays whole", () => {
    const bytes = Buffer.from('{"text":"Grüße, 世界 🙂"}\n');
    const single = Array.from(bytes, (byte) => Buffer.from([byte]));
    expect(linesOf(single)).toEqual(['{"text":"Grüße, 世界 🙂"}']);
  });

  test("[R16] the lines are the same wherever the chunks are cut", () => {
    const line = JSON.stringify({ text: 'a é € 🙂 \u2028\u2029 \uFEFF \u0000 e\u0301 \\ "' });
    const bytes = Buffer.from(`${line}\n${line}\n`);
    for (let first = 0; first <= bytes.length; first += 1) {
      for (let second = first; second <= bytes.length; second += 1) {
        const chunks = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
        expect(linesOf(chunks, 0)).toEqual([line, line]);
      }
    }
  });

  test("[R17] a long line is concatenated once, however small its chunks are", () => {
    const joining = vi.spyOn(Buffer, "concat");
    const chunk = Buffer.alloc(4096, "x");
    const chunks = Array.from({ length: 4096 }, () => chunk);
    const [line] = linesOf([...chunks, "\n"], 0);
    expect(line).toHaveLength(16 * 1024 * 1024);
    expect(joining).toHaveBeenCalledTimes(1);
    joining.mockRestore();
  });

  test("a line of exactly the limit is accepted", () => {
    expect(linesOf(["x".repeat(100), "\n"])).toHaveLength(1);
  });

  test("a line over the limit is refused, whether it has ended or not", () => {
    expect(() => linesOf(["x".repeat(60), "x".repeat(41)])).toThrow("message-too-large");
    expect(() => linesOf([`${"x".repeat(101)}\n`])).toThrow("message-too-large");
  });

  test("a limit of 0 means no limit", () => {
    expect(linesOf([`${"x".repeat(5000)}\n`], 0)).toHaveLength(1);
  });
});
