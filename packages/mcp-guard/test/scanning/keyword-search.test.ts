import { describe, expect, test } from "vitest";
import { keywordSearch } from "../../src/scanning/keyword-search.ts";

/** Every text of up to `length` letters. */
function textsOf(letters: string, length: number): string[] {
  if (length === 0) return [""];
  const shorter = textsOf(letters, length - 1);
  const longest = shorter.filter((text) => text.length === length - 1);
  return [...shorter, ...longest.flatMap((text) => [...letters].map((letter) => text + letter))];
}

describe("searching for keywords", () => {
  test.each([
    [["abab"], ["ba"], ["b"]],
    [
      ["aab", "aaab"],
      ["abb", "bb"],
    ],
    [["abbaab"], ["baa"], ["aaa", "bbb"], ["bab"]],
    [["a", "aa"], ["aaaa"]],
  ])("finds the groups of %j, %j, … in every text of ten letters", (...groups) => {
    const search = keywordSearch(groups);
    const expected = (text: string) =>
      groups.reduce(
        (found, group, index) => found | (group.some((word) => text.includes(word)) ? 1 << index : 0),
        0,
      );
    const texts = textsOf("abc", 10);
    expect(texts.length).toBeGreaterThan(80_000);
    expect(texts.filter((text) => search(text) !== expected(text))).toEqual([]);
  });

  test("finds nothing without keywords, and skips letters beyond ASCII", () => {
    expect(keywordSearch([])("text")).toBe(0);
    expect(keywordSearch([["ab"]])("aéb ab")).toBe(1);
  });
});
