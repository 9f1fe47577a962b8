import { latePattern } from "../late-pattern.ts";

/** What can be left out without changing how a text reads: format characters, fillers, combining marks. */
const unseen = latePattern(String.raw`[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]`, "u");
const space = latePattern(String.raw`[\s\p{Z}]`, "u");
const marks = latePattern(String.raw`\p{Mn}`, "gu");

/** Small letters of other alphabets that a reader takes for Latin ones. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [
    ..."аaвbеeнhіiјjкkмmоoрpсcтtуyхxѕsһhԁdԛqԝwαaβbεeηnιiκkνvοoρpτtυuχxωwıiɡgɑaոnսuհh".matchAll(/(.)(.)/gu),
  ].map(([, lookalike = "", letter = ""]) => [lookalike, letter]),
);

/**
 * A character as it reads: in small letters, full-width, mathematical and look-alike letters as the plain ones, any white
 * space as a space, and what is not seen as nothing. May be several characters (`ﬁ` is `fi`).
 */
export function foldCharacter(character: string): string {
  if (character <= "\x7f") return character.toLowerCase();
  if (unseen().test(character)) return "";
  if (space().test(character)) return " ";
  const plain = character.normalize("NFKD").replace(marks(), "").toLowerCase();
  return LOOKALIKES.get(plain) ?? plain;
}
