/** What can be left out without changing how a text reads: format characters, fillers, combining marks. */
const UNSEEN = /[\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/u;
const SPACE = /[\s\p{Z}]/u;
const MARKS = /\p{Mn}/gu;

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
  if (UNSEEN.test(character)) return "";
  if (SPACE.test(character)) return " ";
  const plain = character.normalize("NFKD").replace(MARKS, "").toLowerCase();
  return LOOKALIKES.get(plain) ?? plain;
}
