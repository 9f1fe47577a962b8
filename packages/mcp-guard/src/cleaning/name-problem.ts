import { latePattern } from "../late-pattern.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";

const PLAIN_NAME = /^[ -~]*$/;
/** What has its reasons in a text, and none in a name. */
const inTextsOnly = latePattern(String.raw`[\u00ad\ufeff\p{Bidi_Control}]`, "u");

/**
 * What a name holds that nobody sees, if anything. Names are never cleaned: the server would not know the tool or the argument,
 * and two of them could become one.
 */
export function nameProblem(name: string): string | undefined {
  if (PLAIN_NAME.test(name)) return undefined;
  if (/\p{Cc}/u.test(name)) return "control characters";
  const [hidden] = findHiddenCharacters(name);
  if (hidden !== undefined) return `the invisible character ${hidden.codePoint}`;
  return inTextsOnly().test(name) ? "an invisible character" : undefined;
}
