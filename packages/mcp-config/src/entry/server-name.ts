import type { SourceLocation } from "@jackfield/mcp-core";
import type { JsonPath } from "../read/json-value.ts";

const LONGEST_NAME = 512;
const LONGEST_QUOTE = 80;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name may not contain
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Why a string cannot name a server, or `undefined` if it can.
 *
 * @param mayHoldBrace - whether `}` is allowed; not for other hosts, since a reference to a variable ends with one
 */
export function serverNameFault(name: string, mayHoldBrace = true): string | undefined {
  if (name === "") return "its name is empty";
  if (name.length > LONGEST_NAME) return `its name is longer than ${LONGEST_NAME} characters`;
  if (CONTROL.test(name)) return "its name contains a control character";
  if (!mayHoldBrace && name.includes("}")) return "its name contains a closing brace";
  return undefined;
}

/**
 * Text from a configuration as a message shows it: quoted, cut to 80 characters, with everything escaped that a terminal
 * would act on or hide.
 */
export function quote(text: string): string {
  const shown = JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
  return /[^ -~]/.test(shown) ? shown.replace(new RegExp(UNSEEN, "gu"), escapeCharacter) : shown;
}

/** A value that somebody wrote into a name, as in `API_KEY=…`, `Authorization: …` and `--token …`. Short ones are no credentials. */
const VALUE_IN_NAME = /[=:\s].{6,}/s;

/** The name of a field, a header or a variable as a message shows it: without a value in it, which may be a credential. */
export function quoteName(name: string): string {
  return quote(name.replace(VALUE_IN_NAME, "…"));
}

/** Whether somebody wrote a value into the name. */
export function holdsValue(name: string): boolean {
  return VALUE_IN_NAME.test(name);
}

/** Where a path leads to; if there is a value in the last name, the pointer, which is shown as well, leads to what holds it. */
export function shownLocation(locate: (path: JsonPath) => SourceLocation, path: JsonPath): SourceLocation {
  const location = locate(path);
  return holdsValue(String(path.at(-1)))
    ? { ...location, pointer: locate(path.slice(0, -1)).pointer }
    : location;
}

/** What stands in place of one of a few words. Anything else may be a credential. */
export function quoteWord(text: string): string {
  return quote(/^(?!sk[_-])(?:[A-Za-z_. -]{1,24}|[\w.-]{1,5})$/.test(text) ? text : "…");
}

/** A string, compiled on use: compiling these properties takes long, and few texts need it. */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`;

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
