import { describe, expect, it } from "vitest";
import { isIncluded, matchesGlob } from "../../src/tools/tool-filter.ts";

describe("globs", () => {
  it.each([
    ["read", "read", true],
    ["read", "reads", false],
    ["*", "", true],
    ["*", "admin/delete", true],
    ["read_*", "read_file", true],
    ["*_file", "read_file", true],
    ["a*b*c", "a-b-b-c", true],
    ["a*b*c", "a-c-b", false],
    ["ab*ba", "aba", false],
    ["!read", "read", false],
    ["[ab]", "a", false],
    ["**", "x", true],
  ])("%s against %s is %s", (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });

  it("is not slowed down by a pattern made to be slow", () => {
    expect(matchesGlob(`${"a*".repeat(2_000)}b`, "a".repeat(20_000))).toBe(false);
  });
});

describe("a server's tool filter", () => {
  it("[L23] lets exclude beat include", () => {
    expect(isIncluded({ include: ["*"], exclude: ["delete"] }, "delete")).toBe(false);
  });

  it("takes an empty list for none", () => {
    expect(isIncluded({ include: [], exclude: [] }, "anything")).toBe(true);
  });

  it("offers only what is included", () => {
    expect(isIncluded({ include: ["read_*"] }, "read_file")).toBe(true);
    expect(isIncluded({ include: ["read_*"] }, "write_file")).toBe(false);
  });
});
