/** Takes the place of a character that is not read, so that all others stay where they are. */
const UNREAD = "\u200b";
/** Most texts hold nothing else, which is quicker to tell than that they hold no control characters. */
const PLAIN = /^[\t-\r -~]*$/;
/** Whatever is neither white space nor printable ASCII nor beyond the second row of control characters. */
const CONTROL = /[^\t-\r -~\u00a0-\uffff]/;
const EVERY_CONTROL = new RegExp(CONTROL, "g");
const ESCAPE = "\u001b";
const ENDS = "\u0007\u009c";
const STRING_STARTS = "\u0090\u0098\u009d-\u009f";
/** What a terminal obeys and does not show: strings up to their terminator, sequences of parameters, and short ones. */
const SEQUENCE = new RegExp(
  [
    // A string without end stops at the next one's beginning, which keeps this linear.
    `(?:${ESCAPE}[\\]PX^_]|[${STRING_STARTS}])[^${ESCAPE}${ENDS}${STRING_STARTS}]*(?:[${ENDS}]|${ESCAPE}\\\\)`,
    `(?:${ESCAPE}\\[|\u009b)[0-?]*[ -/]*[@-~]`,
    `${ESCAPE}[ -/]*[0-~]`,
  ].join("|"),
  "g",
);

/**
 * The ways in which a text can be read: as it stands, and as it looks where a terminal obeyed its sequences or they were taken
 * out. A phrase may be hidden in a sequence, or cut in two by one. Every reading has the length of the text; one without
 * control characters is its only reading. Linear in the length of the text.
 */
export function readingsOf(text: string): readonly string[] {
  if (PLAIN.test(text) || !CONTROL.test(text)) return [text];
  const shown = text.replace(SEQUENCE, (sequence) => UNREAD.repeat(sequence.length));
  const readings = [text, shown].map((reading) => reading.replace(EVERY_CONTROL, UNREAD));
  return [...new Set(readings)];
}
