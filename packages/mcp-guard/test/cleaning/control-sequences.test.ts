import { describe, expect, test } from "vitest";
import { removeControlSequences } from "../../src/cleaning/control-sequences.ts";

const FINALS = [..."ABCDEFGHJKSTfhlmnsu@`"];
const STRINGS = [
  "0;title",
  "2;title",
  "8;;http://evil.example",
  "52;c;ZXZpbA==",
  "1337;File=x",
  "777;notify;a;b",
];

/** At least sixty sequences that a terminal would act on, each with text that must survive on both sides. */
const SEQUENCES = [
  ...FINALS.map((final) => `\u001b[2;1${final}`),
  ...FINALS.slice(0, 6).map((final) => `\u009b31${final}`),
  ...STRINGS.flatMap((body) => [`\u001b]${body}\u0007`, `\u001b]${body}\u001b\\`, `\u009d${body}\u009c`]),
  ...["P+q544e", "_Gf=100;AAAA", "^privacy", "Xstring"].map((body) => `\u001b${body}\u001b\\`),
  ...[
    "\u001b[?1049h",
    "\u001b[?25l",
    "\u001b[38;2;1;2;3m",
    "\u001b[1;31;40m",
    "\u001bc",
    "\u001b7",
    "\u001b8",
  ],
  ...["\u0000", "\u0007", "\u0008", "\u000b", "\u000c", "\r", "\u000e", "\u001a", "\u007f", "\u0085"],
];

describe("control sequences", () => {
  test.each(SEQUENCES.map((sequence) => [JSON.stringify(sequence), sequence]))(
    "[T54] %s is removed",
    (_shown, sequence) => {
      const cleaned = removeControlSequences(`before${sequence}after`);
      expect(cleaned).not.toMatch(/(?![\t\n])\p{Cc}/u);
      expect(cleaned).toMatch(/^before.*after$/);
      expect(cleaned).not.toContain("evil");
    },
  );

  test("at least sixty are tested", () => {
    expect(SEQUENCES.length).toBeGreaterThanOrEqual(60);
  });

  test("tabs and printable characters stay, and line ends become line feeds", () => {
    expect(removeControlSequences("a\tb\nc\r\nd\u2028e – ü 😀")).toBe("a\tb\nc\nd\ne – ü 😀");
  });

  test("an unterminated control string is removed with all that follows it", () => {
    expect(removeControlSequences("a\u001b]0;title without end")).toBe("a");
  });

  test.each([
    ["that never end", "\u001b]"],
    ["that would leave another when they are removed", "\u001b\u001b]\u0007]"],
    ["of a single character", "\u009d"],
  ])("control strings %s take linear time", (_, unit) => {
    expect(removeControlSequences(`a${unit.repeat(500_000)}`)).toMatch(/^a\]*$/);
  });
});
