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

/** Every character that may be invisible. Most texts hold none, so this one test is all they cost. */
const CANDIDATE = new RegExp(
  [
    String.raw`[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f]`,
    String.raw`[\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]`,
  ].join("|"),
  "u",
);
const EVERY_CANDIDATE = new RegExp(CANDIDATE, "gu");

/** Letters of scripts that are written from right to left: only among them do direction marks have work to do. */
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Scripts in which joiners change how letters are drawn. */
const JOINING_LETTER =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]$/u;
const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f?$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
/** What a variation selector may follow: emoji and digits of keycaps, ideographs, and scripts with standardised variants. */
const VARIABLE =
  /[\p{Emoji}\p{Script=Han}\p{Script=Mongolian}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Sm}\p{So}]$/u;
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
  if (!CANDIDATE.test(text)) return [];
  const isRightToLeft = RIGHT_TO_LEFT.test(text);
  const flags = [...text.matchAll(REGION_FLAG)].map(({ index, 0: flag }) => ({
    from: index,
    to: index + flag.length,
  }));
  let nextFlag = 0;
  const found: HiddenCharacter[] = [];
  for (const { index, 0: character } of text.matchAll(EVERY_CANDIDATE)) {
    while ((flags[nextFlag]?.to ?? Number.POSITIVE_INFINITY) <= index) nextFlag += 1;
    if (index > (flags[nextFlag]?.from ?? Number.POSITIVE_INFINITY)) continue;
    const codePoint = character.codePointAt(0) ?? 0;
    const kind = kindOf(codePoint);
    const before = text.slice(Math.max(0, index - NEIGHBOURHOOD), index);
    const after = text.slice(index + character.length, index + character.length + NEIGHBOURHOOD);
    if (hasReason(kind, codePoint, { before, after, isRightToLeft })) continue;
    found.push({ kind, codePoint: `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`, index });
  }
  return found;
}

/** The text without them. */
export function removeHiddenCharacters(text: string): string {
  const hidden = findHiddenCharacters(text);
  if (hidden.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { index } of hidden) {
    parts.push(text.slice(from, index));
    from = index + ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1);
  }
  return parts.join("") + text.slice(from);
}

function kindOf(codePoint: number): HiddenKind {
  if (codePoint >= 0xe0000 && codePoint <= 0xe007f) return "tag";
  if (codePoint >= 0xe0100) return "variation-selector";
  if (codePoint >= 0xfe00 && codePoint <= 0xfe0f) return "variation-selector";
  if (codePoint >= 0x180b && codePoint <= 0x180f && codePoint !== 0x180e) return "variation-selector";
  if (codePoint === 0x200c || codePoint === 0x200d) return "joiner";
  if (codePoint === 0xad) return "soft-hyphen";
  if (codePoint >= 0xfff9 && codePoint <= 0xfffb) return "annotation";
  if (codePoint >= 0x2061 && codePoint <= 0x2064) return "invisible-operator";
  if ([0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0].includes(codePoint)) return "filler";
  const isZeroWidth = [0x034f, 0x180e, 0x200b, 0x2060, 0xfeff].includes(codePoint);
  return isZeroWidth ? "zero-width" : "bidirectional";
}

interface Surroundings {
  readonly before: string;
  readonly after: string;
  readonly isRightToLeft: boolean;
}

/** Overrides draw letters in an order in which nobody wrote them; no script needs them. */
const OVERRIDES = [0x202d, 0x202e];
const BYTE_ORDER_MARK = 0xfeff;

function hasReason(
  kind: HiddenKind,
  codePoint: number,
  { before, after, isRightToLeft }: Surroundings,
): boolean {
  switch (kind) {
    case "joiner":
      return (
        JOINING_LETTER.test(stripMarks(before)) || (EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after))
      );
    case "bidirectional":
      return isRightToLeft && !OVERRIDES.includes(codePoint);
    case "variation-selector":
      return VARIABLE.test(before);
    case "soft-hyphen":
      return /\p{L}$/u.test(before) && /^\p{L}/u.test(after);
    case "zero-width":
      // A byte order mark that opens a file is no message.
      return codePoint === BYTE_ORDER_MARK && before === "";
    default:
      return false;
  }
}

function stripMarks(text: string): string {
  return text.replace(/\p{M}+$/u, "");
}
