/** Replaces a character that is not read, so that all others keep their positions. */
const UNREAD = "\u200b";
/** Most texts match, and this test is faster than the one for control characters. */
const PLAIN = /^[\t-\r -~]*$/;
/** Control characters (C0, DEL, C1) other than white space. */
const CONTROL = /[^\t-\r -~\u00a0-\uffff]/;
const EVERY_CONTROL = new RegExp(CONTROL, "g");
/** Control characters that separate words or lines: FS, GS, RS, US, NEL. */
const SEPARATORS = "\u001c-\u001f\u0085";
const EVERY_SEPARATOR = new RegExp(`[${SEPARATORS}]`, "g");
const ESCAPE = "\u001b";
const ENDS = "\u0007\u009c";
const STRING_STARTS = "\u0090\u0098\u009d-\u009f";
/** Sequences that a terminal obeys and does not show: control strings up to their terminator, CSI sequences, and short escapes. */
const SEQUENCE = new RegExp(
  [
    // The search for a terminator stops where the next string begins, which keeps this linear.
    `(?:${ESCAPE}[\\]PX^_]|[${STRING_STARTS}])[^${ESCAPE}${ENDS}${STRING_STARTS}]*(?:[${ENDS}]|${ESCAPE}\\\\)`,
    `(?:${ESCAPE}\\[|\u009b)[0-?]*[ -/]*[@-~]`,
    `${ESCAPE}[ -/]*[0-~]`,
  ].join("|"),
  "g",
);

/**
 * The ways in which a text can be read: as it stands, and as it looks with its terminal sequences removed. A phrase may be
 * hidden in a sequence, or split by one. Every reading has the length of the text; a text without control characters is its
 * only reading. Linear in the length of the text.
 */
export function readingsOf(text: string): readonly string[] {
  if (PLAIN.test(text) || !CONTROL.test(text)) return [text];
  const shown = text.replace(SEQUENCE, (sequence) => UNREAD.repeat(sequence.length));
  const readings = [text, shown].map((reading) =>
    reading.replace(EVERY_SEPARATOR, " ").replace(EVERY_CONTROL, UNREAD),
  );
  return [...new Set(readings)];
}
