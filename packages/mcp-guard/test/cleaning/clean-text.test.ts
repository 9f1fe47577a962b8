import { describe, expect, test } from "vitest";
import { cleanJson, cleanText } from "../../src/cleaning/clean-text.ts";

describe("cleaning texts", () => {
  test("[T54] a log line or a result on a terminal acts on nothing and hides nothing", () => {
    expect(cleanText("\u001b]0;owned\u0007\u001b[2Jok\u202e\u{e0041}\r\n\u009b31mred")).toBe("ok\nred");
  });

  test("names and values of JSON are cleaned, and what needs no cleaning is the same object", () => {
    expect(cleanJson({ "a\u200b": ["b\u0007", 1, null] })).toEqual({ a: ["b", 1, null] });
    const clean = { a: [{ b: "c" }] };
    expect(cleanJson(clean)).toBe(clean);
  });

  test("[T58] a member called __proto__ stays a member", () => {
    const parsed: unknown = JSON.parse('{"__proto__":{"polluted":"x\u200b"}}');
    const cleaned = cleanJson(parsed) as object;
    expect(Object.keys(cleaned)).toEqual(["__proto__"]);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  test("what is nested too deeply to be looked at is not shown", () => {
    let value: unknown = "\u001b[31m";
    for (let depth = 0; depth < 100; depth += 1) value = [value];
    const shown = JSON.stringify(cleanJson(value));
    expect(shown).toContain("nested too deeply");
    expect(shown).not.toContain("31m");
  });
});
