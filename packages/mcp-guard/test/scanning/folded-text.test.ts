import { describe, expect, test } from "vitest";
import { foldCharacter, foldCharacters } from "../../src/scanning/folded-character.ts";
import { foldText } from "../../src/scanning/folded-text.ts";

/** Every assigned character but the surrogates, which are none. */
const CHARACTERS = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint))
  .filter((character) => /\p{Assigned}/u.test(character));
/** White space is matched as such, whichever it is. */
const spaced = (text: string) => text.replace(/\s/g, " ");

describe("folding", () => {
  test("a text in one go gives what its characters give one by one, for every character there is", () => {
    const different = CHARACTERS.filter(
      (character) => spaced(foldCharacters(character)) !== spaced(foldCharacter(character)),
    );
    expect(different).toEqual([]);
  });

  test("where a letter came from is told in the units of the original", () => {
    const { text, origin } = foldText("é\u200bﬁ A");
    expect(text).toBe("efi a");
    expect(origin(0, 1)).toEqual({ index: 0, length: 1 });
    expect(origin(1, 3)).toEqual({ index: 2, length: 1 });
    expect(origin(4, 5)).toEqual({ index: 4, length: 1 });
  });
});
