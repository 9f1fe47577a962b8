import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import type { ChangeReport } from "../schema/schema-change.ts";
import { escapePointer, type JsonSchema } from "../schema/subschemas.ts";
import { mayAgree, mergeParts } from "./merged-parts.ts";

/** How much a schema may grow when what stands beside its unions is repeated in each alternative, in characters. */
const MAX_REPEATED = 32_000;

/**
 * Rewrites a schema for APIs that take nothing beside `anyOf`. Runs while names that an alternative requires may still stand beside it.
 * Expects plain types: `properties`, `items`, `additionalProperties` and `anyOf` are all that hold schemas.
 */
export function loneUnions(
  schema: JsonSchema,
  pointer: string,
  report: ChangeReport,
  room = { left: MAX_REPEATED },
): JsonSchema {
  if (!isRecord(schema)) return schema;
  const alone = loneUnion(schema, pointer, report, room);
  const result: JsonObject = { ...alone };
  const { properties, items, additionalProperties, anyOf } = alone;
  if (isRecord(properties))
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [
        name,
        loneUnions(part as JsonSchema, `${pointer}/properties/${escapePointer(name)}`, report, room),
      ]),
    );
  if (isRecord(items)) result.items = loneUnions(items, `${pointer}/items`, report, room);
  if (isRecord(additionalProperties))
    result.additionalProperties = loneUnions(
      additionalProperties,
      `${pointer}/additionalProperties`,
      report,
      room,
    );
  if (Array.isArray(anyOf))
    result.anyOf = anyOf.map((part, index) => loneUnions(part, `${pointer}/anyOf/${index}`, report, room));
  return result;
}

/** A union without anything beside it: notes go into its first alternative, demands into each. */
function loneUnion(
  schema: JsonObject,
  pointer: string,
  report: ChangeReport,
  room: { left: number },
): JsonObject {
  const { anyOf, ...beside } = schema;
  if (!Array.isArray(anyOf) || Object.keys(beside).length === 0) return schema;
  const { title, description, default: byDefault, ...demands } = beside;
  // An alternative of another type than what stands beside the union demands is none.
  const alternatives = anyOf.filter(isRecord).filter(({ type }) => mayAgree(demands.type, type));
  const size = JSON.stringify(demands).length * alternatives.length;
  if (alternatives.every(isConstraint) || size > room.left) {
    const message = "A union beside other demands is not supported.";
    report.add({ pointer, kind: "removed", keyword: "anyOf", message });
    return inWords(beside, alternatives);
  }
  room.left -= size;
  const message = "What stood beside a union moved into its alternatives.";
  report.add({ pointer, kind: "rewritten", keyword: "anyOf", message });
  const [first = {}, ...others] = alternatives.map((part) =>
    Object.keys(demands).length === 0 ? part : mergeParts([demands, part], pointer, report),
  );
  const noted: JsonObject = { ...first };
  if (title !== undefined) noted.title = title;
  if (description !== undefined) noted.description = withNote(description, first.description);
  const union = [noted, ...others];
  const at = byDefault === undefined ? -1 : union.findIndex(({ type }) => type === typeOf(byDefault));
  return { anyOf: union.map((part, index) => (index === at ? { ...part, default: byDefault } : part)) };
}

/** Says in the description which of several names are needed, if that is all that the alternatives are about. */
function inWords(schema: JsonObject, alternatives: readonly JsonObject[]): JsonObject {
  const choices = alternatives.flatMap(({ required, ...more }) =>
    Array.isArray(required) && Object.keys(more).length === 0 ? [required.join(" and ")] : [],
  );
  if (choices.length === 0 || choices.length < alternatives.length) return schema;
  const needed = `Needs one of: ${choices.join("; ")}.`.slice(0, 512);
  return { ...schema, description: withNote(schema.description, needed) };
}

/** Whether a schema only demands, and says nothing of what a value is. */
function isConstraint(schema: JsonObject): boolean {
  return !["$ref", "anyOf", "enum", "items", "properties", "type"].some(
    (keyword) => schema[keyword] !== undefined,
  );
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** A description with a sentence more. */
export function withNote(description: unknown, note: unknown): string {
  return [description, note].filter((text) => typeof text === "string" && text !== "").join(" ");
}
