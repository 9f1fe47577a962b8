import { latePattern } from "../late-pattern.ts";

/** Characters that can be left out without changing how a text reads: format characters, fillers, combining marks. */
export const UNSEEN = String.raw`\p{Cf}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}`;
const unseen = latePattern(`[${UNSEEN}]`, "u");
/** White space, with NEL (U+0085), which ends a line, and the Braille pattern without dots. */
export const WHITE_SPACE = String.raw`\s\x85\u2800\p{Z}`;
const space = latePattern(`[${WHITE_SPACE}]`, "u");
const marks = latePattern(String.raw`\p{Mn}`, "gu");

/** Capital letters of other alphabets that look like Latin ones, and whose small letters look like others, or like none. */
const CAPITALS = "ΗHΜMΝNΥYΖZӀIԼLՕOՏSՍU";
/**
 * Small letters that look like Latin ones, and typographic apostrophes. By line: Cyrillic, Greek, Latin extensions and Armenian,
 * small capitals, Cherokee.
 */
const SMALL = [
  "аaвbеeнhіiјjкkмmоoрpсcтtуyүyхxѕsһhԁdԛqԝwӏl",
  "αaβbεeηnιiκkνvοoρpτtυuχxωw",
  "ıiɡgɑaɨiłløoʉuđdħhŧtոnսuհhօo‘'’'ʼ'",
  "ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz",
  "ꭺaᏼbꮯcꭰdꭼeꮐgꮋhꭵiꭻjꮶkꮮlꮇmꮎoꮲpꭱrꮪsꭲtꮜuꮩvꮃwꮍyꮓz",
].join("");

const CAPITAL_LOOKALIKES = pairsOf(CAPITALS);
const SMALL_LOOKALIKES = pairsOf(SMALL);

function pairsOf(pairs: string): ReadonlyMap<string, string> {
  return new Map(
    [...pairs.matchAll(/(.)(.)/gu)].map(([, lookalike = "", letter = ""]) => [lookalike, letter]),
  );
}

/** Ranges that hold all of them: Latin extensions, Greek, Cyrillic, Armenian, Cherokee, phonetic letters, punctuation. */
const LOOKALIKE =
  /[\u00f8\u0111-\u02bc\u0370-\u058f\u13f8-\u13fd\u1d00-\u1d22\u2018\u2019\ua730\ua731\uab70-\uabbf]/g;

function withoutLookalikes(text: string, lookalikes: ReadonlyMap<string, string>): string {
  return text.replace(LOOKALIKE, (letter) => lookalikes.get(letter) ?? letter);
}

/** First letters of alphabets in brackets, or in white on black, that Unicode does not decompose to one letter. */
const ALPHABETS = [0x249c, 0x1f110, 0x1f150, 0x1f170];

/** The letter that a character of one of the `ALPHABETS` stands for. */
function framedLetter(character: string): string | undefined {
  const codePoint = character.codePointAt(0) ?? 0;
  const first = ALPHABETS.find((start) => codePoint >= start && codePoint < start + 26);
  return first === undefined ? undefined : String.fromCharCode(0x61 + codePoint - first);
}

/**
 * Folds a character to how it reads: lower case, with full-width, mathematical and look-alike letters as plain ones. White
 * space beyond ASCII becomes a space, and invisible characters become nothing. May give several characters (`ﬁ` gives `fi`).
 */
export function foldCharacter(character: string): string {
  if (character <= "\x7f") return character.toLowerCase();
  if (unseen().test(character)) return "";
  if (space().test(character)) return " ";
  const plain = framedLetter(character) ?? character.normalize("NFKD").replace(marks(), "");
  return withoutLookalikes(withoutLookalikes(plain, CAPITAL_LOOKALIKES).toLowerCase(), SMALL_LOOKALIKES);
}
