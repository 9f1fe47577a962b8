import { describe, expect, test } from "vitest";
import { foldCharacter, foldText } from "../../src/scanning/folded-text.ts";

/** Every assigned character except the surrogates. */
const CHARACTERS = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint))
  .filter((character) => /\p{Assigned}/u.test(character));
/** Replaces each run of non-ASCII characters by one placeholder: to a pattern they are all the same. */
const replaceNonAscii = (text: string) => text.replace(/[^\0-\x7f]+/g, "\x7f");

describe("folding", () => {
  test("folds each Unicode character in a text as it does alone, and maps it to its origin", () => {
    const between = CHARACTERS.map((character) => `${character}|`);
    const { text, origin } = foldText(between.join(""));
    const letters = text.split("|");
    const different: string[] = [];
    let from = 0;
    let index = 0;
    let folds = 0;
    for (const character of CHARACTERS) {
      // A bar folds to itself.
      const expected = replaceNonAscii(foldCharacter(character)).split("|");
      const given = letters.slice(folds, folds + expected.length).join("|");
      const place = given === "" ? undefined : origin(from, from + given.length);
      const isPlaced = place === undefined || (place.index === index && place.length === character.length);
      if (given !== expected.join("|") || !isPlaced) different.push(character);
      folds += expected.length;
      from += given.length + 1;
      index += character.length + 1;
    }
    expect(different).toEqual([]);
    expect(folds).toBe(letters.length - 1);
  });

  test("gives the origin of a letter in units of the original text", () => {
    const { text, origin } = foldText("é\u200bﬁ A");
    expect(text).toBe("efi a");
    expect(origin(0, 1)).toEqual({ index: 0, length: 1 });
    expect(origin(1, 3)).toEqual({ index: 2, length: 1 });
    expect(origin(4, 5)).toEqual({ index: 4, length: 1 });
  });

  test("folds a text to its end when folding makes it many times longer", () => {
    const folded = `${replaceNonAscii(foldCharacter("ﷺ"))}...`;
    for (const times of [1, 2, 3, 1_000]) {
      const { text, origin } = foldText(`${"ﷺ…".repeat(times)}A`);
      expect(text === `${folded.repeat(times)}a`).toBe(true);
      expect(origin(text.length - 1, text.length)).toEqual({ index: 2 * times, length: 1 });
    }
  });

  test("replaces a lone surrogate by the non-ASCII placeholder", () => {
    expect(foldText("a\ud800b\udc00c").text).toBe("a\x7fb\x7fc");
  });
});
