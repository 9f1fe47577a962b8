import { characterTest } from "../character-table.ts";
import { latePattern } from "../late-pattern.ts";

/** What kind of invisible character was found. */
export type HiddenKind =
  | "tag"
  | "zero-width"
  | "joiner"
  | "bidirectional"
  | "variation-selector"
  | "soft-hyphen"
  | "filler"
  | "invisible-operator"
  | "annotation";

/** An invisible character that no visible text around it needs. */
export interface HiddenCharacter {
  readonly kind: HiddenKind;
  /** For example `U+E0041`. */
  readonly codePoint: string;
  /** Where it stands, in UTF-16 units. */
  readonly index: number;
}

/** Nothing in ASCII is invisible. */
const NOT_ASCII = /[^\0-\x7f]/;

/** Every character that may be invisible. Most texts hold none, so this one test is all they cost. */
const CANDIDATE = String.raw`[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;
const candidate = latePattern(CANDIDATE, "u");
const mayBeUnseen = characterTest(CANDIDATE);

/** Letters of right-to-left scripts. Direction marks are legitimate only in a text that holds some. */
const rightToLeft = latePattern(`(?=\\p{L})[${scripts("Hebrew Arabic Syriac Thaana Nko")}]`, "u");
/** Scripts in which joiners change how letters are drawn. */
const JOINING_SCRIPTS =
  "Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan";
const isJoiningLetter = characterTest(`[${scripts(JOINING_SCRIPTS)}]`);
const isPictograph = characterTest(String.raw`\p{Extended_Pictographic}`);
const isSkinTone = characterTest(String.raw`\p{Emoji_Modifier}`);
/** What the text and emoji style selectors may follow: emoji, other symbols, and the digits of keycaps. */
const isStyled = characterTest(String.raw`[\p{Emoji}\p{So}]`);
const isMongolian = characterTest(`(?=\\p{L})${scripts("Mongolian")}`);
const isIdeograph = characterTest(scripts("Han"));
/** Signs and letters with a standardised variant under the first selector (StandardizedVariants.txt of Unicode). */
const isVariable = characterTest(`[∅∩∪≨≩≲≳⊊⊋⊓⊔⊕⊗⊜⋚⋛⨼⨽⪝⪞⪬⪭⫋⫌${scripts("Myanmar Phags_Pa")}]`);
const isLetter = characterTest(String.raw`\p{L}`);
const isMark = characterTest(String.raw`\p{M}`);
/**
 * The flags of England, Scotland and Wales: a black flag, the region's code as tags, and the tag that ends them. Unicode
 * recommends no others, and an invented one could spell a message, six letters at a time.
 */
const REGION_FLAG = new RegExp(
  `\u{1f3f4}(?:${["gbeng", "gbsct", "gbwls"].map(asTags).join("|")})\u{e007f}`,
  "gu",
);

/**
 * Finds invisible characters that no visible text needs: Unicode tags, zero-width and direction characters, stray variation
 * selectors, fillers ([T55] of the threat list). Those that emoji, right-to-left text and scripts such as Devanagari need are
 * not reported. Linear in the length of the text.
 */
export function findHiddenCharacters(text: string): readonly HiddenCharacter[] {
  return Array.from(hiddenCharacters(text), ({ kind, codePoint, index }) => ({
    kind,
    codePoint: pointName(codePoint),
    index,
  }));
}

/** For example `U+E0041`. */
export function pointName(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A hidden character with its code point as a number. */
interface HiddenPoint {
  readonly kind: HiddenKind;
  readonly codePoint: number;
  readonly index: number;
}

/** `findHiddenCharacters` as a generator, for texts that may hold millions of them. */
export function* hiddenCharacters(text: string): Generator<HiddenPoint> {
  if (!NOT_ASCII.test(text) || !candidate().test(text)) return;
  const surroundings = surroundingsIn(text);
  for (let index = nextUnseen(text, 0); index < text.length; ) {
    const codePoint = text.codePointAt(index) ?? 0;
    const end = index + lengthOf(codePoint);
    const kind = kindOf(codePoint);
    if (!hasReason({ kind, codePoint, index }, surroundings)) yield { kind, codePoint, index };
    index = nextUnseen(text, end);
  }
}

/** The index of the next character that may be invisible; the length of the text if there is none. */
function nextUnseen(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    const codePoint = unit >= 0xd800 && unit <= 0xdbff ? (text.codePointAt(at) ?? unit) : unit;
    if (mayBeUnseen(codePoint)) return at;
    if (codePoint > 0xffff) at += 1;
  }
  return text.length;
}

/** The text without the characters that `findHiddenCharacters` reports. */
export function removeHiddenCharacters(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { index, codePoint } of hiddenCharacters(text)) {
    if (index > from) parts.push(text.slice(from, index));
    from = index + lengthOf(codePoint);
  }
  return from === 0 ? text : parts.join("") + text.slice(from);
}

/** Ranges of code points, first and last, in order. A candidate in none of them is `zero-width`. */
const KINDS: readonly (readonly [first: number, last: number, kind: HiddenKind])[] = [
  [0xad, 0xad, "soft-hyphen"],
  [0x61c, 0x61c, "bidirectional"],
  [0x115f, 0x1160, "filler"],
  [0x17b4, 0x17b5, "filler"],
  [0x180b, 0x180d, "variation-selector"],
  [0x180f, 0x180f, "variation-selector"],
  [0x200c, 0x200d, "joiner"],
  [0x200e, 0x200f, "bidirectional"],
  [0x202a, 0x202e, "bidirectional"],
  [0x2061, 0x2064, "invisible-operator"],
  [0x2066, 0x2069, "bidirectional"],
  [0x3164, 0x3164, "filler"],
  [0xfe00, 0xfe0f, "variation-selector"],
  [0xffa0, 0xffa0, "filler"],
  [0xfff9, 0xfffb, "annotation"],
  [0xe0000, 0xe007f, "tag"],
  [0xe0100, 0xe01ef, "variation-selector"],
];

function kindOf(codePoint: number): HiddenKind {
  for (const range of KINDS) {
    if (codePoint < range[0]) break;
    if (codePoint <= range[1]) return range[2];
  }
  return "zero-width";
}

/** The context that a character is judged in. */
interface Surroundings {
  readonly text: string;
  /** Whether any of the text is written from right to left. */
  readonly isRightToLeft: () => boolean;
  /** Whether a tag belongs to the flag of a region. Must be called with ascending indices. */
  readonly isInFlag: (index: number) => boolean;
}

/** Computes both answers only when they are needed. */
function surroundingsIn(text: string): Surroundings {
  let rightToLeftText: boolean | undefined;
  let flags: RegExpStringIterator<RegExpExecArray> | undefined;
  let flag: RegExpExecArray | undefined;
  return {
    text,
    isRightToLeft: () => {
      rightToLeftText ??= rightToLeft().test(text);
      return rightToLeftText;
    },
    isInFlag: (index) => {
      if (flags === undefined) {
        flags = text.matchAll(REGION_FLAG);
        flag = flags.next().value;
      }
      while (flag !== undefined && flag.index + flag[0].length <= index) flag = flags.next().value;
      return flag !== undefined && index > flag.index;
    },
  };
}

/** Direction overrides show letters in another order than the text's; no script needs them. */
const OVERRIDES = [0x202d, 0x202e];
const BYTE_ORDER_MARK = 0xfeff;
const FIRST_SELECTOR = 0xfe00;
const TEXT_STYLE = 0xfe0e;
const EMOJI_STYLE = 0xfe0f;

function hasReason(
  { kind, codePoint, index }: HiddenPoint,
  { text, isRightToLeft, isInFlag }: Surroundings,
): boolean {
  const before = pointBefore(text, index);
  const after = text.codePointAt(index + lengthOf(codePoint)) ?? NONE;
  switch (kind) {
    case "joiner":
      return joinsEmoji(text, index, after) || joinsLetters(text, index);
    case "bidirectional":
      return !OVERRIDES.includes(codePoint) && isRightToLeft();
    case "variation-selector":
      return isVariant(codePoint, before);
    case "soft-hyphen":
      return isLetter(before) && isLetter(after);
    case "zero-width":
      // A byte order mark at the start of a text is legitimate.
      return codePoint === BYTE_ORDER_MARK && index === 0;
    case "tag":
      return isInFlag(index);
    default:
      return false;
  }
}

/** Whether a selector has a meaning after a character. Any other can carry hidden data: there are 256, one for each byte. */
function isVariant(selector: number, before: number): boolean {
  if (selector < FIRST_SELECTOR) return isMongolian(before);
  if (selector > EMOJI_STYLE) return isIdeograph(before);
  if (selector >= TEXT_STYLE) return isStyled(before);
  // The compatibility ideographs have variants under three selectors.
  return selector === FIRST_SELECTOR
    ? isVariable(before) || isIdeograph(before)
    : selector <= FIRST_SELECTOR + 2 && isIdeograph(before);
}

function joinsEmoji(text: string, index: number, after: number): boolean {
  if (!isPictograph(after)) return false;
  const hasStyle = text.charCodeAt(index - 1) === EMOJI_STYLE;
  const before = pointBefore(text, hasStyle ? index - 1 : index);
  return isPictograph(before) || isSkinTone(before);
}

/** How far before a joiner to look for its letter, in UTF-16 units: room for the letter and its combining marks. */
const NEIGHBOURHOOD = 4;

function joinsLetters(text: string, index: number): boolean {
  for (let at = index; at > index - NEIGHBOURHOOD; ) {
    const before = pointBefore(text, at);
    if (!isMark(before)) return isJoiningLetter(before);
    at -= lengthOf(before);
  }
  return false;
}

/** Stands for a missing character. */
const NONE = -1;

/** The code point that ends at an index, which may be a lone surrogate. */
function pointBefore(text: string, index: number): number {
  if (index <= 0) return NONE;
  const unit = text.charCodeAt(index - 1);
  const isPair = unit >= 0xdc00 && unit <= 0xdfff && index > 1;
  const pair = isPair ? (text.codePointAt(index - 2) ?? NONE) : NONE;
  return pair > 0xffff ? pair : unit;
}

function lengthOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

/** The content of a character class, from the names of scripts. */
function scripts(names: string): string {
  return names
    .split(" ")
    .map((name) => `\\p{Script=${name}}`)
    .join("");
}

/** ASCII letters as Unicode tags. */
function asTags(letters: string): string {
  return Array.from(letters, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
}
