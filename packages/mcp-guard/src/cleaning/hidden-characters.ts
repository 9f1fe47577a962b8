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

/** One invisible character that nothing visible explains. */
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
const everyCandidate = latePattern(CANDIDATE, "gu");

/** Letters of scripts that are written from right to left: only among them do direction marks have work to do. */
const rightToLeft = latePattern(`(?=\\p{L})[${scripts("Hebrew Arabic Syriac Thaana Nko")}]`, "u");
/** Scripts in which joiners change how letters are drawn. */
const JOINING_SCRIPTS =
  "Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan";
const joiningLetter = latePattern(`[${scripts(JOINING_SCRIPTS)}]$`, "u");
const emojiBefore = latePattern(String.raw`(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f?$`, "u");
const emojiAfter = latePattern(String.raw`^\p{Extended_Pictographic}`, "u");
/** What the two selectors for text and emoji style may follow: emoji, and the digits of keycaps. */
const styled = latePattern(String.raw`[\p{Emoji}\p{So}]$`, "u");
/** What the other selectors may follow: ideographs, signs of mathematics, and scripts with standardised variants. */
const variable = latePattern(`[${scripts("Han Mongolian Myanmar Phags_Pa")}\\p{Sm}]$`, "u");
/** The flag of a region: a black flag, its letters as tags, and the tag that ends them. */
const REGION_FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}/gu;

/** How far around a character is looked to judge it, in UTF-16 units: a letter and what may stand on it. */
const NEIGHBOURHOOD = 4;

/**
 * Finds characters that nobody sees and that are not there for the sake of visible ones: Unicode tags, zero-width and
 * direction characters, stray variation selectors, fillers ([T55] of the threat list). What emoji, right-to-left text and
 * the scripts of India need is not reported. Linear in the length of the text.
 */
export function findHiddenCharacters(text: string): readonly HiddenCharacter[] {
  return Array.from(hiddenCharacters(text), ({ kind, codePoint, index }) => ({
    kind,
    codePoint: `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`,
    index,
  }));
}

/** A hidden character as a number. */
interface HiddenPoint {
  readonly kind: HiddenKind;
  readonly codePoint: number;
  readonly index: number;
}

/** The same one by one, for texts that may hold millions. */
export function* hiddenCharacters(text: string): Generator<HiddenPoint> {
  if (!NOT_ASCII.test(text) || !candidate().test(text)) return;
  let rightToLeftText: boolean | undefined;
  const isRightToLeft = () => {
    rightToLeftText ??= rightToLeft().test(text);
    return rightToLeftText;
  };
  const flags = text.matchAll(REGION_FLAG);
  let flag = flags.next().value;
  for (const { index, 0: character } of text.matchAll(everyCandidate())) {
    while (flag !== undefined && flag.index + flag[0].length <= index) flag = flags.next().value;
    if (flag !== undefined && index > flag.index) continue;
    const codePoint = character.codePointAt(0) ?? 0;
    const kind = kindOf(codePoint);
    if (MAY_HAVE_REASON.has(kind) && hasReason(kind, codePoint, { text, index, isRightToLeft })) continue;
    yield { kind, codePoint, index };
  }
}

/** The text without them. */
export function removeHiddenCharacters(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { index, codePoint } of hiddenCharacters(text)) {
    if (index > from) parts.push(text.slice(from, index));
    from = index + (codePoint > 0xffff ? 2 : 1);
  }
  return from === 0 ? text : parts.join("") + text.slice(from);
}

/** Ranges of code points, first and last, in order. What is in none of them is of zero width and nothing else. */
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

interface Surroundings {
  readonly text: string;
  readonly index: number;
  /** Whether any of the text is written from right to left. */
  readonly isRightToLeft: () => boolean;
}

/** All others are hidden wherever they stand. */
const MAY_HAVE_REASON: ReadonlySet<HiddenKind> = new Set([
  "joiner",
  "bidirectional",
  "variation-selector",
  "soft-hyphen",
  "zero-width",
]);

/** Overrides draw letters in an order in which nobody wrote them; no script needs them. */
const OVERRIDES = [0x202d, 0x202e];
const BYTE_ORDER_MARK = 0xfeff;
const letterBefore = latePattern(String.raw`\p{L}$`, "u");
const letterAfter = latePattern(String.raw`^\p{L}`, "u");
const marksBehind = latePattern(String.raw`\p{M}+$`, "u");
/** U+FE0E and U+FE0F: text style and emoji style. */
const STYLES = [0xfe0e, 0xfe0f];

function hasReason(
  kind: HiddenKind,
  codePoint: number,
  { text, index, isRightToLeft }: Surroundings,
): boolean {
  const end = index + (codePoint > 0xffff ? 2 : 1);
  const before = text.slice(Math.max(0, index - NEIGHBOURHOOD), index);
  const after = text.slice(end, end + NEIGHBOURHOOD);
  switch (kind) {
    case "joiner":
      return (
        (emojiBefore().test(before) && emojiAfter().test(after)) || joiningLetter().test(stripMarks(before))
      );
    case "bidirectional":
      return !OVERRIDES.includes(codePoint) && isRightToLeft();
    case "variation-selector":
      // Any other selector behind an emoji carries bytes that nobody sees.
      return (STYLES.includes(codePoint) && styled().test(before)) || variable().test(before);
    case "soft-hyphen":
      return letterBefore().test(before) && letterAfter().test(after);
    case "zero-width":
      // A byte order mark that opens a file is no message.
      return codePoint === BYTE_ORDER_MARK && before === "";
    default:
      return false;
  }
}

function stripMarks(text: string): string {
  return text.replace(marksBehind(), "");
}

/** The members of a set of characters, from the names of their scripts. */
function scripts(names: string): string {
  return names
    .split(" ")
    .map((name) => `\\p{Script=${name}}`)
    .join("");
}
