import { latePattern } from "../late-pattern.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";

const PLAIN_NAME = /^[ -~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Characters that are legitimate in a text, but not in a name. */
const inTextsOnly = latePattern(
  String.raw`[\u00ad\ufeff\u{e0000}-\u{e007f}\p{Bidi_Control}\p{Variation_Selector}]`,
  "u",
);

/**
 * Describes an invisible character in a name, if it holds one. Names are never cleaned: the server would not recognise the tool
 * or the argument, and two names could become the same.
 */
export function nameProblem(name: string): string | undefined {
  if (PLAIN_NAME.test(name)) return undefined;
  if (CONTROL.test(name)) return "control characters";
  const [hidden] = findHiddenCharacters(name);
  if (hidden !== undefined) return `the invisible character ${hidden.codePoint}`;
  return inTextsOnly().test(name) ? "an invisible character" : undefined;
}
