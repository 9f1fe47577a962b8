import { describe, expect, test } from "vitest";
import { expandVariables, hasVariables } from "../src/resolve/variables.ts";

const VALUES: { [name: string]: string } = { A: "1", E: "", NEST: "${A}", "my.var-2": "dotted", É: "accent" };

function expand(text: string): string {
  return expandVariables(text, ({ name, defaultText, written }) => VALUES[name] ?? defaultText ?? written);
}

describe("expandVariables", () => {
  test.each([
    ["", ""],
    ["plain", "plain"],
    ["${A}", "1"],
    ["pre${A}post${B:-q}", "pre1postq"],
    ["${A}${A}", "11"],
    ["${B:-}", ""],
    ["${B:-a:-b}", "a:-b"],
    ["${E}", ""],
    ["${E:-x}", ""],
    ["${my.var-2}", "dotted"],
    ["${É}", "accent"],
  ])("%s becomes %j", (text, expected) => {
    expect(expand(text)).toBe(expected);
  });

  test.each([
    "$A",
    "$(A)",
    "%A%",
    "${}",
    "${",
    "}",
    "$${",
    "${A:+x}",
    "${A:?x}",
    "${A:=x}",
    "${A:x}",
    "${env:A}",
    "${{ A }}",
    "${ A }",
    "${a + b}",
    "${A",
    "${:-x}",
    "${A\u0000}",
    "${B}",
  ])("%j stays as it is", (text) => {
    expect(expand(text)).toBe(text);
  });

  test.each([
    ["${NEST}", "${A}"],
    ["${NEST}${A}", "${A}1"],
    ["$${NEST}", "$${A}"],
    ["${B:-${A}}", "${A}"],
    ["${A:-${B}}", "1"],
    ["${A:-${B:-${C}}}!", "1!"],
    ['${B:-{"a"}!', '{"a"!'],
    ["${B:-$A}", "$A"],
  ])("a value is not expanded again once filled in: %s becomes %s", (text, expected) => {
    expect(expand(text)).toBe(expected);
  });

  test("a value that looks like a replacement pattern arrives unchanged", () => {
    expect(expandVariables("<${A}>", () => "$& $1 $$ $`")).toBe("<$& $1 $$ $`>");
  });

  test("text after an unclosed default stays unchanged", () => {
    expect(expand("${A} ${B:-x ${A}")).toBe("1 ${B:-x ${A}");
  });

  test("the callback gets each reference with its written text", () => {
    const seen: unknown[] = [];
    expandVariables("a ${X} b ${Y:-${Z}}", (reference) => {
      seen.push(reference);
      return "";
    });
    expect(seen).toEqual([
      { kind: "environment", name: "X", defaultText: undefined, written: "${X}" },
      { kind: "environment", name: "Y", defaultText: "${Z}", written: "${Y:-${Z}}" },
    ]);
  });

  test("a megabyte of unclosed references stays unchanged", () => {
    const text = "${A:-".repeat(200_000);
    expect(expand(text)).toBe(text);
  });
});

test.each([
  ["https://${HOST}/mcp", true],
  ["${A:-x}", true],
  ["https://host/${", false],
  ["$HOST", false],
  ["${A:+x}", false],
])("hasVariables of %s is %s", (text, expected) => {
  expect(hasVariables(text)).toBe(expected);
});
