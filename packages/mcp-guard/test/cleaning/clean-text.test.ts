import { describe, expect, test } from "vitest";
import { cleanJson, cleanText } from "../../src/cleaning/clean-text.ts";

describe("cleaning texts", () => {
  test("[T54] removes control sequences and hidden characters", () => {
    expect(cleanText("\u001b]0;owned\u0007\u001b[2Jok\u202e\u{e0041}\r\n\u009b31mred")).toBe("ok\nred");
  });

  test("cleans names and values of JSON, and returns clean JSON as the same object", () => {
    expect(cleanJson({ "a\u200b": ["b\u0007", 1, null] })).toEqual({ a: ["b", 1, null] });
    const clean = { a: [{ b: "c" }] };
    expect(cleanJson(clean)).toBe(clean);
  });

  test("[T58] keeps a member called __proto__ as an own member", () => {
    const parsed: unknown = JSON.parse('{"__proto__":{"polluted":"x\u200b"}}');
    const cleaned = cleanJson(parsed) as object;
    expect(Object.keys(cleaned)).toEqual(["__proto__"]);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  test("replaces a value that is nested too deeply to clean", () => {
    let value: unknown = "\u001b[31m";
    for (let depth = 0; depth < 100; depth += 1) value = [value];
    const shown = JSON.stringify(cleanJson(value));
    expect(shown).toContain("nested too deeply");
    expect(shown).not.toContain("31m");
  });
});
