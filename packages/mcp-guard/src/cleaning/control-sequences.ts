/** Control characters except tab and newline; a carriage return would overwrite its line. */
const CONTROL = /[^\t\n -~\u00a0-\uffff]/;
const EVERY_CONTROL = new RegExp(CONTROL, "g");
const LINE_SEPARATORS = /[\u2028\u2029]/g;

const ESCAPE = "\u001b";
const BELL = "\u0007";
const STRING_TERMINATOR = "\u009c";
/** Control strings that a terminal consumes up to their terminator: titles, links, the clipboard, device control. */
const CONTROL_STRING = new RegExp(
  `(?:${ESCAPE}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BELL}${ESCAPE}${STRING_TERMINATOR}]*(?:${BELL}|${ESCAPE}\\\\|${STRING_TERMINATOR})?`,
  "g",
);
/** Stands for a removed control string, so that what was around it does not join to a new one. */
const REMOVED = "\u0000";

/** `CONTROL` without the line ends of Windows, which values that are never cleaned may hold. */
const CONTROL_IN_VALUE = /[^\t\n\r -~\u00a0-\uffff]|\r(?!\n)/;

/** Whether a value that must stay as it is holds a control character that could act on a terminal. */
export function holdsControlCharacter(value: string): boolean {
  return CONTROL_IN_VALUE.test(value);
}

/**
 * Removes every sequence by which a text could change a terminal's cursor, colour, title, links or clipboard, and every other
 * control character except tab and newline ([T54] of the threat list). Linear in the length of the text.
 */
export function removeControlSequences(text: string): string {
  if (!CONTROL.test(text)) return text.replace(LINE_SEPARATORS, "\n");
  const withoutLineEnds = text.replaceAll("\r\n", "\n").replace(LINE_SEPARATORS, "\n");
  // An `import` would copy all exports of the module and load its terminal colours; few texts get here.
  const { stripVTControlCharacters } = process.getBuiltinModule("node:util");
  // The control strings go first: for those that never end, Node's expression takes quadratic time.
  const withoutStrings = withoutLineEnds.replace(CONTROL_STRING, REMOVED);
  return stripVTControlCharacters(withoutStrings).replace(EVERY_CONTROL, "");
}
