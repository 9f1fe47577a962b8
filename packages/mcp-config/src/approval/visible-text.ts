// Most patterns are strings, compiled on use: compiling Unicode properties is slow, and most programs show nothing to approve.

/**
 * Characters that must not be shown as they are, whatever surrounds them: control, format and separator characters, lone surrogates,
 * unassigned and private ones, those that render as nothing; letters of right-to-left scripts, which reorder their neighbours; what looks
 * like our own quotation marks, labels and lines (modifier letters and symbols, punctuation, digits and mathematical signs beyond ASCII, clicks,
 * boxes, blocks and shapes, ornamental quotes); marks that enclose or strike out; and Latin letters that only phonetics use. Japanese
 * punctuation and length marks stay, because names of folders hold them.
 */
const CODED = String.raw`(?![\u3001-\u301c\u3020-\u30ff])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}\p{P}\p{N}\p{Sm}\p{Sk}\p{Lm}\p{Me}\u01c0-\u01c3\u0131\u0237\u0250-\u02af\u0334-\u0338\u1c80-\u1c8f\u1d00-\u1dbf\u20d0-\u20ff\u2190-\u2bff\ua720-\ua7ff\ufff9-\ufffd\u{1f650}-\u{1f67f}\u{1f700}-\u{1f8ff}\u{1fb00}-\u{1fbff}]`;
/** Spaces that look like the ordinary one but are others. */
const OTHER_SPACE = String.raw`\p{Zs}`;
/** Marks that no letter carries, and the third and every further one on a letter: they would draw over their neighbours. */
const STRAY_MARK = String.raw`(?<![\p{L}\p{N}\p{M}\p{S}])\p{M}|(?<=\p{M}\p{M})\p{M}`;
const WORD = String.raw`[\p{L}\p{N}\p{M}]+`;
/** Letters that East Asian writing mixes with each other and with Latin ones. */
const EAST_ASIAN = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}]`;
/** Letters of other alphabets that look like Latin ones: Cyrillic, Greek, Armenian, Cherokee, Coptic, Lisu. */
const LOOKALIKES = new Set(
  "аАВвсСԁеЕғһНіІјЈкКӏӀМмоОрРԛԚѕЅТтуУүҮхХѵѴԝԜѡгп" +
    "αΑΒβΕεγΗηΙιΚκΜΝνΟοΡρΤτυΥχΧΖωϲϹϳ" +
    "աԼոՍսՏօՕցհԱզքթ" +
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᏀᏃᏆᏎᏏᏐᏔᏕᏙᏚᏞᏟᏢᏦᏧᏴᏼ" +
    "ⲀⲂⲈⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲟⲣⲥⲭ" +
    "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓝꓞꓟꓠꓡꓢꓣꓤꓥꓦꓧꓨꓩꓪꓫꓬꓮꓰꓲꓳꓴ",
);

const IS_ASCII = /^[\0-\x7f]*$/;

/**
 * A text in a form that a user can decide by: every character that is invisible, that changes how others appear, or that looks like one
 * of ours, is shown as its code, for example `\u{202E}`; so are letters that pass for Latin ones. Several spaces are counted:
 * `\{12 spaces}`. Nothing is left out, and the result is unambiguous, because a backslash of the text is doubled.
 */
export function visibleText(text: string): string {
  const shown = text
    .replaceAll("\\", "\\\\")
    .replace(/ {2,}/g, ({ length }) => `\\{${counted(length)} spaces}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is shown as a code
  const plain = shown.replace(/[\u0000-\u001f\u007f]/g, codeOf);
  if (IS_ASCII.test(plain)) return plain;
  return plain
    .replace(new RegExp(WORD, "gu"), createWordCoder())
    .replace(new RegExp(STRAY_MARK, "gu"), codeOf)
    .replace(/[^\0-\x7f]/gu, codeUnlessPlain(new RegExp(`^(?:${CODED}|${OTHER_SPACE})$`, "u")));
}

/** The same in quotation marks, so that leading and trailing spaces and empty texts are visible. */
export function quotedText(text: string): string {
  return `"${visibleText(text).replaceAll('"', '\\"')}"`;
}

/** What must stay together: a code, an escape, or a character with its marks. */
const UNIT = String.raw`\\u\{[0-9A-F]+\}|\\\{[^}]*\}|\\.|.\p{M}*`;

/** The parts of a visible text that may be separated from each other. */
export function unitsOf(visible: string): readonly string[] {
  return visible.match(new RegExp(UNIT, "gsu")) ?? [];
}

/**
 * The same, of at most about `length` characters as they are shown: of a longer text the beginning and the end, with what is left out
 * between them, `\{9,900 more characters}`.
 */
export function shortenedText(text: string, length: number): string {
  const quoted = quotedText(text);
  if (quoted.length <= length) return quoted;
  const units = unitsOf(quoted);
  const end = units.length - fitting(units.toReversed(), length / 3);
  const start = Math.min(fitting(units, (length * 2) / 3), end);
  const left = `\\{${counted(end - start)} more characters}`;
  return `${units.slice(0, start).join("")}${left}${units.slice(end).join("")}`;
}

/** How many of the first units have at most that length together. */
function fitting(units: readonly string[], length: number): number {
  let left = length;
  const count = units.findIndex((unit) => {
    left -= unit.length;
    return left < 0;
  });
  return count === -1 ? units.length : count;
}

/** A number with commas: `10,240`. */
export function counted(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}

/** Also codes what is only another form of something plainer, such as full-width letters. */
function codeUnlessPlain(coded: RegExp): (character: string) => string {
  const known = new Map<string, string>();
  return (character) => {
    let shown = known.get(character);
    if (shown === undefined) {
      const isPlain = !coded.test(character) && character.normalize("NFKC") === character;
      shown = isPlain ? character : codeOf(character);
      known.set(character, shown);
    }
    return shown;
  };
}

/**
 * In a word with Latin letters or of several alphabets, letters that are not Latin are shown as codes; so are those of a word that could
 * be read as a Latin one.
 */
function createWordCoder(): (word: string) => string {
  const alphabetOf = createAlphabetFinder();
  return (word) => {
    if (IS_ASCII.test(word)) return word;
    const letters = new Set(word);
    const alphabets = new Set(Array.from(letters, alphabetOf));
    alphabets.delete(undefined);
    const foreign = [...letters].filter((letter) => ![undefined, "Latin"].includes(alphabetOf(letter)));
    if (alphabets.size < 2 && !foreign.every((letter) => LOOKALIKES.has(letter))) return word;
    const codes = new Map(foreign.map((letter) => [letter, codeOf(letter)]));
    return Array.from(word, (letter) => codes.get(letter) ?? letter).join("");
  };
}

const ALPHABETS = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee", "Coptic", "Lisu", "Georgian"];

/** Finds the alphabet of a letter; `undefined` for what stands beside every alphabet: digits, marks, and the letters of East Asia. */
function createAlphabetFinder(): (letter: string) => string | undefined {
  const isLetter = /\p{L}/u;
  const isEastAsian = new RegExp(EAST_ASIAN, "u");
  const alphabets = ALPHABETS.map((script) => [script, new RegExp(`\\p{sc=${script}}`, "u")] as const);
  const known = new Map<string, string | undefined>();
  return (letter) => {
    if (known.has(letter)) return known.get(letter);
    const isOther = !isLetter.test(letter) || isEastAsian.test(letter);
    const named = alphabets.find(([, pattern]) => pattern.test(letter))?.[0] ?? "another";
    const alphabet = isOther ? undefined : named;
    known.set(letter, alphabet);
    return alphabet;
  };
}
