import { expect, test } from "vitest";
import { quote, quoteName, quoteWord, serverNameFault, shownLocation } from "../src/entry/server-name.ts";

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

test.each([
  ["API_KEY", "API_KEY", "/env/API_KEY"],
  ["API_KEY=planted", "API_KEY…", "/env"],
  ["Authorization: Bearer planted", "Authorization…", "/env"],
  ["--token=planted", "--token…", "/env"],
  ["--token planted", "--token…", "/env"],
  ["A\nplanted\nplanted", "A…", "/env"],
  ["a b", "a b", "/env/a b"],
])("a value that was written into the name %j is not shown", (name, shown, pointer) => {
  const locate = (path: readonly (string | number)[]) => ({
    pointer: `/${path.join("/")}`,
    line: path.length,
  });
  expect(quoteName(name)).toBe(`"${shown}"`);
  expect(shownLocation(locate, ["env", name])).toEqual({ pointer, line: 2 });
});

test.each([
  ["streamable_http", "streamable_http"],
  ["Web-Socket", "Web-Socket"],
  ["http2", "http2"],
  ["streamable http", "streamable http"],
  ["sk-live-planted", "…"],
  ["sk_live_planted", "…"],
  ["https://u:planted@h/", "…"],
  ["planted1", "…"],
  ["planted".repeat(4), "…"],
])("of what should be a word, only a word is shown: %s", (text, shown) => {
  expect(quoteWord(text)).toBe(`"${shown}"`);
});
