import { characterTable } from "../character-table.ts";
import { latePattern } from "../late-pattern.ts";

/** A text as a model reads it: in lower case and without disguise. */
export interface FoldedText {
  /** ASCII only: every other character is a {@link STRANGER}. */
  readonly text: string;
  /** Maps a range of `text` to the original, in UTF-16 units. */
  readonly origin: (from: number, to: number) => { readonly index: number; readonly length: number };
}

const ASCII = /^[\0-\x7f]*$/;
/** Replaces a character that no pattern names. It hardly occurs in text itself. */
const STRANGER = "\x7f";

/**
 * Folds capitals, full-width, mathematical and look-alike letters and drops invisible characters, so that one plain pattern
 * finds a phrase however it is disguised. Linear in the length of the text.
 */
export function foldText(text: string): FoldedText {
  if (ASCII.test(text)) {
    return { text: text.toLowerCase(), origin: (from, to) => ({ index: from, length: to - from }) };
  }
  let places: Places | undefined;
  return {
    text: foldLetters(text),
    origin: (from, to) => {
      places ??= placesOf(text);
      const index = places.starts[from] ?? text.length;
      return { index, length: (places.ends[to - 1] ?? index) - index };
    },
  };
}

/** A fold is the code of one ASCII character, or one of these. */
const NO_LETTER = 0x80;
const SEVERAL = 0x81;
const foldOf = characterTable((codePoint) => {
  const letters = lettersOf(codePoint);
  if (letters.length > 1) return SEVERAL;
  return letters === "" ? NO_LETTER : letters.charCodeAt(0);
});

function lettersOf(codePoint: number): string {
  return foldCharacter(String.fromCodePoint(codePoint)).replace(/[^\0-\x7f]+/g, STRANGER);
}

/** The letters of a character that folds to several, such as an ellipsis. Cached, since a text may be full of them. */
const severalOf = remembered(lettersOf);

function remembered(compute: (codePoint: number) => string): (codePoint: number) => string {
  const known = new Map<number, string>();
  return (codePoint) => {
    const letters = known.get(codePoint) ?? compute(codePoint);
    known.set(codePoint, letters);
    return letters;
  };
}

function foldLetters(text: string): string {
  const parts: string[] = [];
  const folded = Buffer.allocUnsafe(ROOM * text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      folded[length++] = unit >= CAPITAL_A && unit <= CAPITAL_Z ? unit + TO_SMALL : unit;
      continue;
    }
    const codePoint = unit >= 0xd800 && unit <= 0xdbff ? (text.codePointAt(at) ?? unit) : unit;
    if (codePoint > 0xffff) at += 1;
    const fold = foldOf(codePoint);
    if (fold < NO_LETTER) folded[length++] = fold;
    else if (fold === SEVERAL) {
      const letters = severalOf(codePoint);
      if (length + letters.length + text.length - at > folded.length) {
        parts.push(folded.toString("latin1", 0, length), letters);
        length = 0;
        continue;
      }
      for (let letter = 0; letter < letters.length; letter += 1)
        folded[length++] = letters.charCodeAt(letter);
    }
  }
  return parts.join("") + folded.toString("latin1", 0, length);
}

/** Buffer size for each UTF-16 unit. Enough for most texts; some characters fold to eighteen letters. */
const ROOM = 2;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const TO_SMALL = 0x20;

/** For each letter, where the character that it came from begins and ends. */
interface Places {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

function placesOf(text: string): Places {
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    const fold = codePoint < 0x80 ? codePoint : foldOf(codePoint);
    const letters = fold < NO_LETTER ? 1 : fold === NO_LETTER ? 0 : severalOf(codePoint).length;
    const end = at + character.length;
    for (let letter = 0; letter < letters; letter += 1) {
      starts.push(at);
      ends.push(end);
    }
    at = end;
  }
  return { starts, ends };
}

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
