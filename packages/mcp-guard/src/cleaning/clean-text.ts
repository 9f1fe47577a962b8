import type { CallMiddleware, ContentBlock, ToolCallResult } from "@jackfield/mcp-core";
import { blocksOf } from "../known-block.ts";
import { removeControlSequences } from "./control-sequences.ts";
import { removeHiddenCharacters } from "./hidden-characters.ts";

/** Printable ASCII, tabs and newlines. Most texts hold nothing else and need only this test. */
const PLAIN = /^[\t\n -~]*$/;

/**
 * Makes a server's text safe to show to a person or a model, on a terminal or in a log: removes terminal sequences and hidden
 * characters ([T54], [T55] of the threat list). Linear in the length of the text.
 */
export function cleanText(text: string): string {
  return PLAIN.test(text) ? text : removeHiddenCharacters(removeControlSequences(text));
}

/** Also matches JSON escapes for such characters and, falsely, some escaped backslashes. */
const NOT_PLAIN_JSON = /[^\t\n -~]|\\[^"\\nt/]/;

/** Whether the value in a JSON text certainly needs no cleaning. */
export function isPlainJsonText(text: string): boolean {
  return !NOT_PLAIN_JSON.test(text);
}

/** The deepest nesting that is followed. */
const MAX_DEPTH = 64;
/** Replaces values that are nested deeper: what was not cleaned is not shown. */
const TOO_DEEP = "[nested too deeply]";

/**
 * Applies `cleanText` to each string in a JSON value, including member names. The value itself is not changed: where something
 * differs, a copy is made. Values nested deeper than 64 levels are replaced by a placeholder.
 */
export function cleanJson<T>(value: T): T {
  return isPlainJson(value) ? value : cleanValue(value, 0);
}

/** Whether a JSON value certainly needs no cleaning. */
export function isPlainJson(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return PLAIN.test(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  // JSON objects inherit no members, and `for in` allocates no arrays of keys or values.
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

/**
 * Removes terminal sequences and hidden characters from results that a model reads and a program may then print: text that no
 * person can see should not reach the model. A program's own calls get what the server sent.
 */
export function cleanResults(): CallMiddleware {
  return async ({ options }, next) => {
    const result = await next();
    return options.audience === "model" ? cleanResult(result) : result;
  };
}

/**
 * Cleans every string of a result (`cleanText`) for display on a terminal, including structured content, URIs and names.
 * Returns the same object if there was nothing to clean. For display only: compute with the original result.
 */
export function cleanResult(result: ToolCallResult): ToolCallResult {
  const content = blocksOf(result);
  return cleanJson(
    content === result.content || content.length === 0
      ? result
      : { ...result, content: content as ContentBlock[] },
  );
}
