import { removeControlSequences } from "./control-sequences.ts";
import { removeHiddenCharacters } from "./hidden-characters.ts";

/** A server's text as a person or a model may be shown it: nothing moves the cursor and nothing is hidden. */
export function cleanText(text: string): string {
  return removeHiddenCharacters(removeControlSequences(text));
}

/** The longest nesting that is followed; what lies deeper is not something anybody reads. */
const MAX_DEPTH = 64;

/**
 * The same for each string in a JSON value, names of members included. The value itself stays as it is: a copy is made
 * where something changes.
 */
export function cleanJson<T>(value: T, depth = 0): T {
  if (typeof value === "string") return cleanText(value) as T;
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => cleanJson(item, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : (items as T);
  }
  const members = Object.entries(value);
  const cleaned = members.map(([name, member]): [string, unknown] => [
    cleanText(name),
    cleanJson(member, depth + 1),
  ]);
  const isSame = cleaned.every(
    ([name, member], index) => name === members[index]?.[0] && member === members[index]?.[1],
  );
  return isSame ? value : (Object.fromEntries(cleaned) as T);
}
