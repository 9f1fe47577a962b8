import { isRecord, isSameJson, type JsonObject, type JsonValue } from "@jackfield/mcp-core";
import type { ChangeReport } from "../schema/schema-change.ts";
import { escapePointer } from "../schema/subschemas.ts";

const NOTES = ["title", "description", "default"];

/**
 * Merges several schemas into one; where two disagree on a keyword, the first is kept. `required` and `properties` are
 * collected first, so that thousands of parts are not copied once for each of them.
 */
export function mergeParts(all: readonly JsonObject[], pointer: string, report: ChangeReport): JsonObject {
  // What a part says of another type would stand beside the first type.
  const first = all.find(({ type }) => type !== undefined)?.type;
  const parts = all.filter(({ type }) => mayAgree(first, type));
  if (parts.length < all.length) report.add({ pointer, kind: "removed", keyword: "type", message: DISAGREE });
  const merged: JsonObject = { ...parts[0] };
  const required = new Set<unknown>();
  const properties = new Map<string, unknown[]>();
  for (const [keyword, value] of parts.slice(1).flatMap((part) => Object.entries(part))) {
    const known = merged[keyword];
    if (known === undefined) merged[keyword] = value;
    else if (keyword === "required") collectNames(required, required.size === 0 ? [known, value] : [value]);
    else if (keyword === "properties" && isRecord(known) && isRecord(value))
      collectSchemas(properties, properties.size === 0 ? [known, value] : [value]);
    else if (!isSameJson(known, value) && !NOTES.includes(keyword))
      report.add({
        pointer,
        kind: "removed",
        keyword,
        message: `Two parts of \`allOf\` disagree on \`${keyword}\`; the first is kept.`,
      });
  }
  if (required.size > 0) merged.required = [...required] as JsonValue;
  if (properties.size > 0) merged.properties = mergeProperties(properties, pointer, report);
  return merged;
}

const DISAGREE = "Parts of `allOf` disagree on `type`; those that agree with the first are kept.";

/** Whether something may be of both types. */
export function mayAgree(one: unknown, other: unknown): boolean {
  const [first, second] = [one, other].map((type) => (type === "integer" ? "number" : type));
  return first === undefined || second === undefined || isSameJson(first, second);
}

function collectNames(names: Set<unknown>, lists: readonly unknown[]): void {
  for (const name of lists.flat()) names.add(name);
}

function collectSchemas(schemas: Map<string, unknown[]>, groups: readonly JsonObject[]): void {
  for (const [name, schema] of groups.flatMap((group) => Object.entries(group))) {
    const known = schemas.get(name);
    if (known === undefined) schemas.set(name, [schema]);
    else known.push(schema);
  }
}

function mergeProperties(
  schemas: ReadonlyMap<string, readonly unknown[]>,
  pointer: string,
  report: ChangeReport,
): JsonObject {
  const entries = [...schemas].map(([name, [first, ...others]]) => {
    if (!isRecord(first) || others.length === 0) return [name, first];
    const place = `${pointer}/properties/${escapePointer(name)}`;
    return [name, mergeParts([first, ...others.filter(isRecord)], place, report)];
  });
  return Object.fromEntries(entries) as JsonObject;
}
