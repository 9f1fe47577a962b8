import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern } from "../../src/pattern/pattern-program.ts";
import { runPattern } from "../../src/pattern/pattern-run.ts";
import { parsePattern } from "../../src/pattern/pattern-syntax.ts";
import { createSafePattern } from "../../src/pattern/safe-pattern.ts";
import { createWorkBudget, WorkExceeded } from "../../src/schema/work-budget.ts";

const matches = (pattern: string, text: string) =>
  createSafePattern(pattern).matches(text, createWorkBudget());

/** Runs the pattern step by step, never on the engine's RegExp. */
function run(pattern: string, text: string): boolean | undefined {
  const parsed = parsePattern(pattern);
  const program = parsed && compilePattern(parsed);
  return program && runPattern(program, text, createWorkBudget(20_000_000));
}

const A = "a".repeat(40);
const EVIL: readonly [pattern: string, text: string][] = [
  ["^(a+)+$", `${A}!`],
  ["^(a*)*$", `${A}!`],
  ["^(a|a)*$", `${A}!`],
  ["^(a|aa)+$", `${A}!`],
  ["^(a|a?)+$", `${A}!`],
  ["^(.*a){20}$", `${A}!`],
  ["(a+)+$", `${A}!`],
  ["([a-zA-Z]+)*$", `${A}!`],
  ["^([a-z0-9]+)*$", `${A}!`],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", A],
  ["^(\\w+\\s?)*$", `${A}!`],
  ["^(\\w*)*\\d$", A],
  ["^(?:[ab]+|b+)*c$", "ab".repeat(20)],
  ["^(?:(?:a+)+)+$", `${A}!`],
  ["^((a+){1,20}){1,20}$", `${A}!`],
  ["^(a?){40}a{40}$", A.slice(1)],
  ["(x+x+)+y", "x".repeat(40)],
  ["^(a+)+\\1$", `${A}!`],
  ["^(?=(a+)+$)b", `${A}!`],
  ["(?<=(a+)+)b$", `${A}!`],
  ["^(\\d+|\\d+\\.\\d+|\\d+\\.)*$", `${"1".repeat(40)}!`],
  ["^(<[^>]*>|[^<]*)*$", "<a>".repeat(20).concat("<")],
  ["^(([^@])+@)+$", "x".repeat(40)],
  ["^\\s*(\\S+\\s*)*;$", `${A} ${A}`],
  ["^([\\s\\S]*,){12}P$", "1,".repeat(60)],
  ["^(?<n>a+)+\\k<n>b$", `${A}!`],
];

describe("[T63] a catastrophic pattern", () => {
  it.each(EVIL)("%s exceeds its work budget or does not match", (pattern, text) => {
    let verdict: unknown;
    try {
      verdict = matches(pattern, text);
    } catch (error) {
      verdict = error;
    }
    // Some fail quickly when run step by step; none may match, and none may run forever.
    expect(verdict instanceof WorkExceeded || verdict === false).toBe(true);
  });

  it("exceeds its work budget in most of the corpus", () => {
    const given = EVIL.filter(([pattern, text]) => {
      try {
        matches(pattern, text);
        return false;
      } catch (error) {
        return error instanceof WorkExceeded;
      }
    });
    expect(given.length).toBeGreaterThan(EVIL.length / 2);
  });
});

describe("a common pattern", () => {
  it.each([
    ["^[a-z0-9]+(?:-[a-z0-9]+)*$", "a-long-slug-of-several-words", "a--b"],
    ["^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", "somebody@example.com", "somebody@example"],
    ["^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$", "0123abcd-0123-0123-0123-0123456789ab", "0123"],
    ["^(?!.*\\.\\.)[\\w./-]+$", "a/b.c/d", "a/../b"],
    ["^(?=.*[a-z])(?=.*\\d).{8,}$", "abcdefg1", "abcdefgh"],
    ["^(\\d{1,3}\\.){3}\\d{1,3}$", "127.0.0.1", "127.0.0"],
    ["^\\p{L}[\\p{L}\\p{N}_-]*$", "ünïcode_1", "1a"],
    ["^[\\w-\\.]+$", "a-b.c", "a b"],
    ["^(['\"]).*\\1$", "'quoted'", "'quoted\""],
    ["^https?:\\/\\/[^\\s/$.?#].[^\\s]*$", "https://example.com/a?b#c", "ftp://example.com"],
  ])("%s accepts the good text and refuses the bad one", (pattern, good, bad) => {
    expect([matches(pattern, good), matches(pattern, bad)]).toEqual([true, false]);
    expect([run(pattern, good), run(pattern, bad)]).toEqual([true, false]);
  });

  it("matches a long text within its work budget", () => {
    expect(matches("^[\\s\\S]*$", "x".repeat(500_000))).toBe(true);
    expect(matches("^(?:[^\\n]*\\n)*$", "some line\n".repeat(2_000))).toBe(true);
  });

  it.each(["(", "[a", "(?i:a)", "a{3,1}", "*"])("that cannot be parsed gives no verdict: %s", (pattern) => {
    expect(matches(pattern, "a")).toBeUndefined();
  });
});

describe("a generated pattern", () => {
  const atom = fc.constantFrom(
    "a",
    "b",
    ".",
    "[ab]",
    "[^a]",
    "\\w",
    "\\d",
    "\\b",
    "^",
    "$",
    "(?=a)",
    "(?!b)",
    "(?<=a)",
  );
  const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?");
  const pattern = fc.letrec<{ expression: string; group: string }>((tie) => ({
    group: fc.tuple(tie("expression"), quantifier).map(([body, count]) => `(?:${body})${count}`),
    expression: fc
      .array(
        fc.oneof(
          { maxDepth: 3, withCrossShrink: true },
          fc
            .tuple(atom, quantifier)
            .map(([set, count]) => (/^(?:\^|\$|\\b|\(\?)/.test(set) ? set : set + count)),
          tie("group"),
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((items) => items.join("")),
  })).expression;
  const text = fc.string({ unit: fc.constantFrom("a", "b", "1", " ", "\n", "é"), maxLength: 8 });

  it("matches exactly what RegExp matches, unless it exceeds its work budget", () => {
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        let verdict: unknown;
        try {
          verdict = run(source, subject);
        } catch (error) {
          expect(error).toBeInstanceOf(WorkExceeded);
          return;
        }
        expect(verdict).toBe(new RegExp(source, "u").test(subject));
      }),
      casesOf(300, 5_000),
    );
  });
});
