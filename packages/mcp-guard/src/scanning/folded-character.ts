import { latePattern } from "../late-pattern.ts";

/** What can be left out without changing how a text reads: format characters, fillers, combining marks. */
const UNSEEN = String.raw`[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]`;
const unseen = latePattern(UNSEEN, "u");
const space = latePattern(String.raw`[\s\p{Z}]`, "u");
const marks = latePattern(String.raw`\p{Mn}`, "gu");

/** Small letters of other alphabets that a reader takes for Latin ones. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [
    ..."аaвbеeнhіiјjкkмmоoрpсcтtуyхxѕsһhԁdԛqԝwαaβbεeηnιiκkνvοoρpτtυuχxωwıiɡgɑaոnսuհh".matchAll(/(.)(.)/gu),
  ].map(([, lookalike = "", letter = ""]) => [lookalike, letter]),
);

/** Every letter that has a look-alike stands in one of these blocks: Latin extensions, Greek, Cyrillic, Armenian. */
const LOOKALIKE = /[\u0131\u0251\u0261\u0370-\u058f]/g;

function withoutLookalikes(text: string): string {
  return text.replace(LOOKALIKE, (letter) => LOOKALIKES.get(letter) ?? letter);
}

/**
 * A character as it reads: in small letters, full-width, mathematical and look-alike letters as the plain ones, any white
 * space as a space, and what is not seen as nothing. May be several characters (`ﬁ` is `fi`).
 */
export function foldCharacter(character: string): string {
  if (character <= "\x7f") return character.toLowerCase();
  if (unseen().test(character)) return "";
  if (space().test(character)) return " ";
  return withoutLookalikes(character.normalize("NFKD").replace(marks(), "").toLowerCase());
}

const allUnseen = latePattern(UNSEEN, "gu");
/**
 * Texts of decomposed Latin, Han and Kana letters, common signs and emoji (as halves: U+1F000 to U+1FBFF): in them only accents and
 * what joins emoji are not seen, which is quick to tell.
 */
const ONLY_ACCENTS = new RegExp(
  [
    String.raw`^[\u0350-\u036f\0-\u00ac\u00ae-\u034e\u200d\u2010-\u2027\u2030-\u205e\u2190-\u27bf\u3001-\u3029`,
    String.raw`\u3041-\u3096\u30a1-\u30ff\u3400-\u9fff\ud83c-\ud83e\udc00-\udfff\ufe0f]*$`,
  ].join(""),
);
const ACCENTS = new RegExp(["[\\u0300-\\u036f", "\\u200d\\ufe0f]"].join(""), "g");

/**
 * A text of which every character is folded, in one go: many times faster than one by one, but without a way back to where a
 * letter came from.
 */
export function foldCharacters(text: string): string {
  const decomposed = text.normalize("NFKD");
  const unseenThere = ONLY_ACCENTS.test(decomposed) ? ACCENTS : allUnseen();
  return withoutLookalikes(decomposed.replace(unseenThere, "").toLowerCase());
}
