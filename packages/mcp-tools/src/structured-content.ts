import type { JsonValue } from "@jackfield/mcp-core";
import { isSameJson } from "./schema/json-equality.ts";

/**
 * What structured content says beyond the blocks that came with it; `undefined` if nothing. A model should not read, and pay
 * for, the same twice.
 *
 * Servers repeat themselves in three ways: a text block is the whole as JSON, as the specification asks (server/tools,
 * "Structured Content"); a member is the text of a block, or what a block says as JSON, as in the reference servers for files
 * and memory; or a member is the list of blocks itself. Members that are said are left out, the others stay. A plain number,
 * boolean or `null` counts as said only if there is nothing else, because one text could stand for several of them.
 */
export function withoutRepetition(
  structured: JsonValue,
  texts: readonly string[],
  blocks: readonly unknown[],
): JsonValue | undefined {
  const said = new Said(texts, blocks);
  if (said.includes(structured)) return undefined;
  if (typeof structured !== "object" || structured === null || Array.isArray(structured)) return structured;
  const members = Object.entries(structured);
  const [only] = members;
  if (members.length === 1 && only !== undefined && said.includes(only[1])) return undefined;
  const news = members.filter(([, value]) => !(isTelling(value) && said.includes(value)));
  if (members.length > 0 && news.length === 0) return undefined;
  return news.length === members.length ? structured : Object.fromEntries(news);
}

function isTelling(value: JsonValue): boolean {
  return (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null);
}

/** What the blocks say; their texts are read as JSON once, and only if that is asked for. */
class Said {
  readonly #texts: readonly string[];
  readonly #blocks: readonly unknown[];
  #values: readonly unknown[] | undefined;

  constructor(texts: readonly string[], blocks: readonly unknown[]) {
    this.#texts = texts;
    this.#blocks = blocks;
  }

  includes(value: JsonValue): boolean {
    if (typeof value === "string" && (this.#texts.includes(value) || this.#texts.join("\n") === value))
      return true;
    if (Array.isArray(value) && value.length > 0 && isSameJson(value, this.#blocks)) return true;
    this.#values ??= this.#texts.flatMap(parsed);
    return this.#values.some((other) => isSameJson(other, value));
  }
}

function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}
