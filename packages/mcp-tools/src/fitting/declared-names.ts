import { isRecord, type JsonObject, type JsonValue } from "@jackfield/mcp-core";
import type { ChangeReport } from "../schema/schema-change.ts";
import { escapePointer, isSchema, type JsonSchema } from "../schema/subschemas.ts";

/**
 * Drops names from `required` that are not in the `properties` beside it. Runs after all parts of a schema are merged: a
 * reference may hold one of the two, and its siblings the other.
 */
export function requireDeclared(schema: JsonSchema, report: ChangeReport): JsonSchema {
  return declared(schema, "", { report, names: new Map() });
}

interface Tools {
  readonly report: ChangeReport;
  /** The names of each `required` list, cached since one list may be inlined in many places. */
  readonly names: Map<readonly unknown[], ReadonlySet<unknown>>;
}

function declared(schema: JsonSchema, pointer: string, tools: Tools): JsonSchema {
  if (!isRecord(schema)) return schema;
  const within = partsDeclared(schema, pointer, tools);
  const { required, ...rest } = within;
  if (!Array.isArray(required)) return within;
  const names = tools.names.get(required) ?? new Set<unknown>(required);
  tools.names.set(required, names);
  const kept = Object.keys(isRecord(rest.properties) ? rest.properties : {}).filter((name) =>
    names.has(name),
  );
  if (kept.length === names.size) return within;
  const message = "A name in `required` that is not among the `properties` is not supported.";
  tools.report.add({ pointer, kind: "removed", keyword: "required", message });
  return kept.length > 0 ? { ...within, required: kept } : rest;
}

function partsDeclared(schema: JsonObject, pointer: string, tools: Tools): JsonObject {
  const { properties, items, additionalProperties, anyOf } = schema;
  const fitted = (part: unknown, place: string) =>
    (isSchema(part) ? declared(part, `${pointer}${place}`, tools) : part) as JsonValue;
  const result: JsonObject = { ...schema };
  if (isRecord(properties))
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [
        name,
        fitted(part, `/properties/${escapePointer(name)}`),
      ]),
    );
  if (isRecord(items)) result.items = fitted(items, "/items");
  if (isRecord(additionalProperties))
    result.additionalProperties = fitted(additionalProperties, "/additionalProperties");
  if (Array.isArray(anyOf)) {
    const before = tools.report.weakened;
    const options = anyOf.map((part, index) => fitted(part, `/anyOf/${index}`));
    // An option that now demands nothing makes the whole `anyOf` demand nothing.
    const isVoid = options.some((option) => isRecord(option) && Object.keys(option).length === 0);
    if (isVoid && tools.report.weakened > before) delete result.anyOf;
    else result.anyOf = options;
  }
  return result;
}
