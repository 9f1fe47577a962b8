import { expect, test } from "vitest";
import { quote, serverNameFault } from "../src/server-name.ts";

test.each(["a", "__proto__", "constructor", "日本語", "🧰", "a b/c.d:e", "x".repeat(512), "}", "${A}"])(
  "%j is a valid server name",
  (name) => {
    expect(serverNameFault(name)).toBeUndefined();
  },
);

test.each([
  ["", "empty"],
  ["x".repeat(513), "longer than 512"],
  ["a\nb", "control character"],
  ["\u0000", "control character"],
  ["\u009b31m", "control character"],
])("%j is not a valid server name", (name, fault) => {
  expect(serverNameFault(name)).toContain(fault);
});

test.each([
  ["plain", '"plain"'],
  ['say "hi"', '"say \\"hi\\""'],
  ["\u001b[31m", '"\\u001b[31m"'],
  ["a\u202eb", '"a\\u{202e}b"'],
  ["\u009b", '"\\u{9b}"'],
  ["\u{e0041}", '"\\u{e0041}"'],
  ["\ud800", '"\\ud800"'],
  ["x".repeat(81), `"${"x".repeat(80)}…"`],
])("quote writes %j without characters that control a terminal", (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});
