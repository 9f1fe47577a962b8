import { describe, expect, test } from "vitest";
import { foldCharacter } from "../../src/scanning/folded-character.ts";
import { foldText } from "../../src/scanning/folded-text.ts";

/** Every assigned character but the surrogates, which are none. */
const CHARACTERS = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint))
  .filter((character) => /\p{Assigned}/u.test(character));
/** In one piece: what cannot be told from ASCII is all the same to a pattern. */
const strange = (text: string) => text.replace(/[^\0-\x7f]+/g, "\x7f");

describe("folding", () => {
  test("a text gives what its characters give one by one, and tells of each where it stands, for every character there is", () => {
    const between = CHARACTERS.map((character) => `${character}|`);
    const { text, origin } = foldText(between.join(""));
    const letters = text.split("|");
    const different: string[] = [];
    let from = 0;
    let index = 0;
    let folds = 0;
    for (const character of CHARACTERS) {
      // A bar folds to itself.
      const expected = strange(foldCharacter(character)).split("|");
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

  test("where a letter came from is told in the units of the original", () => {
    const { text, origin } = foldText("é\u200bﬁ A");
    expect(text).toBe("efi a");
    expect(origin(0, 1)).toEqual({ index: 0, length: 1 });
    expect(origin(1, 3)).toEqual({ index: 2, length: 1 });
    expect(origin(4, 5)).toEqual({ index: 4, length: 1 });
  });

  test("a text that is many times as long when it is folded is folded to its end", () => {
    const folded = `${strange(foldCharacter("ﷺ"))}...`;
    for (const times of [1, 2, 3, 1_000]) {
      const { text, origin } = foldText(`${"ﷺ…".repeat(times)}A`);
      expect(text === `${folded.repeat(times)}a`).toBe(true);
      expect(origin(text.length - 1, text.length)).toEqual({ index: 2 * times, length: 1 });
    }
  });

  test("half of a pair of surrogates is a stranger", () => {
    expect(foldText("a\ud800b\udc00c").text).toBe("a\x7fb\x7fc");
  });
});
