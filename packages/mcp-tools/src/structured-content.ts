import { canonicalJson, isRecord, type JsonValue } from "@jackfield/mcp-core";

/**
 * What structured content says beyond the blocks that came with it; `undefined` if nothing. A model should not read, and pay
 * for, the same content twice.
 *
 * Servers repeat content in three ways: a text block is the whole as JSON, as the specification asks (server/tools, "Structured
 * Content"); a member is the text of a block, or that text parsed as JSON, as in the reference servers for files and memory; or
 * a member is the list of blocks itself. Repeated members are left out, the others stay. A number, boolean, `null` or empty
 * text counts as repeated only if it is the only member, because one text could stand for several of them.
 */
export function withoutRepetition(
  structured: JsonValue,
  texts: readonly string[],
  blocks: readonly unknown[],
): JsonValue | undefined {
  const isRepeated = readBlocks(texts, blocks);
  if (isRepeated(structured)) return undefined;
  if (!isRecord(structured)) return structured;
  const members = Object.entries(structured);
  const [only] = members;
  if (members.length === 1 && only !== undefined && isRepeated(only[1])) return undefined;
  const unrepeated = members.filter(([, value]) => !(isDistinctive(value) && isRepeated(value)));
  if (members.length > 0 && unrepeated.length === 0) return undefined;
  return unrepeated.length === members.length ? structured : Object.fromEntries(unrepeated);
}

function isDistinctive(value: JsonValue): boolean {
  return (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null);
}

/**
 * Returns a test of whether the blocks say a value. Their texts are parsed as JSON once, and only if needed. Values are looked
 * up and not compared one by one: many short texts beside many members could block a program for as long as a server likes.
 */
function readBlocks(texts: readonly string[], blocks: readonly unknown[]): (value: JsonValue) => boolean {
  const readings = new Set([...texts, texts.join("\n")]);
  let list: string | undefined;
  let values: ReadonlySet<string | undefined> | undefined;
  return (value) => {
    if (typeof value === "string" && readings.has(value)) return true;
    const written = canonical(value);
    if (written === undefined) return false;
    if (Array.isArray(value) && value.length > 0 && value.length === blocks.length) {
      list ??= canonical(blocks);
      if (list === written) return true;
    }
    values ??= new Set(texts.flatMap(parsed).map(canonical));
    return values.has(written);
  };
}

/** The same text for equal JSON, whatever the order of members; `undefined` if it is nested too deeply to be written. */
function canonical(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}
