import { describe, expect, it } from "vitest";
import { matchesPattern } from "../src/name-pattern.ts";

describe("a name pattern", () => {
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
  ])("%s matches %s: %s", (pattern, text, expected) => {
    expect(matchesPattern(pattern, text)).toBe(expected);
  });

  it("with thousands of stars does not stall", () => {
    expect(matchesPattern(`${"a*".repeat(2_000)}b`, "a".repeat(20_000))).toBe(false);
  });
});
