/** Control characters but tab and newline; a carriage return overwrites the line it stands in. */
const CONTROL = /[^\t\n -~\u00a0-\uffff]/;
const EVERY_CONTROL = new RegExp(CONTROL, "g");
const LINE_SEPARATORS = /[\u2028\u2029]/g;

const ESCAPE = "\u001b";
const BELL = "\u0007";
const STRING_TERMINATOR = "\u009c";
/** Strings that a terminal takes to the end of their terminator: titles, links, the clipboard, device control. */
const CONTROL_STRING = new RegExp(
  `(?:${ESCAPE}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BELL}${ESCAPE}${STRING_TERMINATOR}]*(?:${BELL}|${ESCAPE}\\\\|${STRING_TERMINATOR})?`,
  "g",
);

/** The same, but for the line ends of Windows: they are what values are made of that are never cleaned. */
const CONTROL_IN_VALUE = /[^\t\n\r -~\u00a0-\uffff]|\r(?!\n)/;

/** Whether a value, which is to stay as it is, could move a terminal's cursor or worse. */
export function holdsControlCharacter(value: string): boolean {
  return CONTROL_IN_VALUE.test(value);
}

/**
 * Takes out everything by which a text could move a terminal's cursor, colour, title, links or clipboard, and every other
 * control character but tab and newline ([T54] of the threat list). Linear in the length of the text.
 */
export function removeControlSequences(text: string): string {
  if (!CONTROL.test(text)) return text.replace(LINE_SEPARATORS, "\n");
  const withoutLineEnds = text.replaceAll("\r\n", "\n").replace(LINE_SEPARATORS, "\n");
  // An import would copy all that the module exports, and load what colours a terminal on the way; few texts get here.
  const { stripVTControlCharacters } = process.getBuiltinModule("node:util");
  return stripVTControlCharacters(withoutLineEnds.replace(CONTROL_STRING, "")).replace(EVERY_CONTROL, "");
}
