import { removeControlSequences } from "./control-sequences.ts";
import { removeHiddenCharacters } from "./hidden-characters.ts";

/** Most texts are: they cost one look. */
const PLAIN = /^[\t\n -~]*$/;

/**
 * A server's text as a person or a model may be shown it, on a terminal or in a log: nothing moves the cursor and nothing is
 * hidden ([T54], [T55] of the threat list). Linear in the length of the text.
 */
export function cleanText(text: string): string {
  return PLAIN.test(text) ? text : removeHiddenCharacters(removeControlSequences(text));
}

/** In JSON text also what stands for such a character. A backslash that only looks like one costs a closer look. */
const NOT_PLAIN_JSON = /[^\t\n -~]|\\[^"\\nt/]/;

/** Whether there is certainly nothing to clean in what is parsed from a text. */
export function isPlainJsonText(text: string): boolean {
  return !NOT_PLAIN_JSON.test(text);
}

/** The deepest nesting that is followed. */
const MAX_DEPTH = 64;
/** Stands for what lies deeper: what was not looked at is not shown. */
const TOO_DEEP = "[nested too deeply]";

/**
 * The same for each string in a JSON value, names of members included. The value itself stays as it is: a copy is made
 * where something changes. What is nested deeper than 64 levels is left out.
 */
export function cleanJson<T>(value: T): T {
  return isPlainJson(value) ? value : cleanValue(value, 0);
}

/** Whether there is certainly nothing to clean in a JSON value. */
export function isPlainJson(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return PLAIN.test(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  // JSON inherits nothing; `for in` spares lists of names and values.
  for (const name in value) {
    if (!PLAIN.test(name) || !isPlainJson((value as Record<string, unknown>)[name], depth + 1)) return false;
  }
  return true;
}

function cleanValue<T>(value: T, depth: number): T {
  if (typeof value === "string") return cleanText(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return TOO_DEEP as T;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => cleanValue(item, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : (items as T);
  }
  const members = Object.entries(value);
  const cleaned = members.map(([name, member]): [string, unknown] => [
    cleanText(name),
    cleanValue(member, depth + 1),
  ]);
  const isSame = cleaned.every(
    ([name, member], index) => name === members[index]?.[0] && member === members[index]?.[1],
  );
  return isSame ? value : (Object.fromEntries(cleaned) as T);
}
