import { latePattern } from "../late-pattern.ts";

/** What can be left out without changing how a text reads: format characters, fillers, combining marks. */
const UNSEEN = String.raw`[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]`;
const unseen = latePattern(UNSEEN, "u");
const space = latePattern(String.raw`[\s\p{Z}]`, "u");
const marks = latePattern(String.raw`\p{Mn}`, "gu");

/** Small letters of other alphabets that a reader takes for Latin ones, and the apostrophes of typography. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [
    ..."аaвbеeнhіiјjкkмmоoрpсcтtуyхxѕsһhԁdԛqԝwαaβbεeηnιiκkνvοoρpτtυuχxωwıiɡgɑaոnսuհh‘'’'ʼ'".matchAll(
      /(.)(.)/gu,
    ),
  ].map(([, lookalike = "", letter = ""]) => [lookalike, letter]),
);

/** Every one of them stands in one of these blocks: Latin extensions, Greek, Cyrillic, Armenian, punctuation. */
const LOOKALIKE = /[\u0131\u0251\u0261\u02bc\u0370-\u058f\u2018\u2019]/g;

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
