import { latePattern } from "../late-pattern.ts";

/** Characters that can be left out without changing how a text reads: format characters, fillers, combining marks. */
const UNSEEN = String.raw`[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]`;
const unseen = latePattern(UNSEEN, "u");
const space = latePattern(String.raw`[\s\p{Z}]`, "u");
const marks = latePattern(String.raw`\p{Mn}`, "gu");

/** Lower-case letters of other alphabets that look like Latin ones, and typographic apostrophes. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [
    ..."аaвbеeнhіiјjкkмmоoрpсcтtуyхxѕsһhԁdԛqԝwαaβbεeηnιiκkνvοoρpτtυuχxωwıiɡgɑaոnսuհh‘'’'ʼ'".matchAll(
      /(.)(.)/gu,
    ),
  ].map(([, lookalike = "", letter = ""]) => [lookalike, letter]),
);

/** Ranges that hold all of them: Latin extensions, Greek, Cyrillic, Armenian, punctuation. */
const LOOKALIKE = /[\u0131\u0251\u0261\u02bc\u0370-\u058f\u2018\u2019]/g;

function withoutLookalikes(text: string): string {
  return text.replace(LOOKALIKE, (letter) => LOOKALIKES.get(letter) ?? letter);
}

/**
 * Folds a character to how it reads: lower case, with full-width, mathematical and look-alike letters as plain ones. White
 * space beyond ASCII becomes a space, and invisible characters become nothing. May give several characters (`ﬁ` gives `fi`).
 */
export function foldCharacter(character: string): string {
  if (character <= "\x7f") return character.toLowerCase();
  if (unseen().test(character)) return "";
  if (space().test(character)) return " ";
  return withoutLookalikes(character.normalize("NFKD").replace(marks(), "").toLowerCase());
}
