import { describe, expect, it } from "vitest";
import { readPattern } from "../../src/schema/server-pattern.ts";
import { createWorkBudget } from "../../src/schema/work-budget.ts";

const matches = (pattern: string, text: string) => readPattern(pattern).matches(text, createWorkBudget());

describe("a common pattern", () => {
  it.each([
    ["^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", "somebody@example.com", "somebody@example"],
    [
      "^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$",
      "0123abcd-0123-0123-0123-0123456789ab",
      "0123abcd-0123",
    ],
    ["^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2})?$", "2026-07-28T10:00", "2026-7-28"],
    ["^[\\w\\-]+$", "a-b", "a b"],
    ["\\p{Lu}", "aÄ", "aä"],
    ["^https?://[^/?#]+/\\S*$", "https://example.com/a", "ftp://example.com/a"],
    ["^(open|closed)$", "open", "opened"],
    ["^[)+*{2,}]$", "+", "a"],
  ])("%s is checked", (pattern, good, bad) => {
    expect(matches(pattern, good)).toBe(true);
    expect(matches(pattern, bad)).toBe(false);
  });
});

describe("[T63] a pattern that may run away", () => {
  // Long enough for a pattern that runs away to take long, and short enough for it to come to an end.
  const A = "a".repeat(20);
  it.each([
    ["^(a+)+$", `${A}!`],
    ["^(a|a?)+$", `${A}!`],
    ["^(.*a){20}$", `${A}!`],
    ["(x+x+)+y", "x".repeat(20)],
    ["^(a+)+\\1$", `${A}!`],
    ["^(a*)\\1b$", "aab"],
    ["^(?=(a+)+$)b", `${A}!`],
    ["^(?!b)a*$", "a"],
    ["^(?<n>a+)+\\k<n>b$", `${A}!`],
    ["^a*a*a*a*a*$", `${A}!`],
    ["^(a?){40}a{40}$", A],
    ["^(?:a|ab)(?:c|bcd)(?:d*)(?:a|ab){3,}$", A],
    ["\\s+$", " ".repeat(100_000)],
    ["(", "anything"],
    [`${"a".repeat(5_000)}`, "a"],
  ])("%s is left to the server", (pattern, text) => {
    expect(matches(pattern, text)).toBeUndefined();
  });
});
