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

/** A string, compiled on use: compiling these properties takes long, and few texts need it. */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`;

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
