import type { JsonObject, JsonValue } from "@jackfield/mcp-core";
import { escapePointer, isObject, isSchema, type JsonSchema } from "../schema/subschemas.ts";
import type { ChangeReport } from "./schema-change.ts";

/**
 * Drops from `required` what is not in the `properties` beside it. It is done when all parts of a schema are together: a reference
 * and what stands beside it may each have one of the two.
 */
export function requireDeclared(schema: JsonSchema, pointer: string, report: ChangeReport): JsonSchema {
  if (!isObject(schema)) return schema;
  const within = partsDeclared(schema, pointer, report);
  if (!Array.isArray(within.required)) return within;
  const declared = isObject(within.properties) ? within.properties : {};
  const { required, ...rest } = within;
  const kept = within.required.filter((name) => typeof name === "string" && Object.hasOwn(declared, name));
  if (kept.length === within.required.length) return within;
  const message = "A name in `required` that is not among the `properties` is not taken.";
  report.add({ pointer, kind: "removed", keyword: "required", message });
  return kept.length > 0 ? { ...within, required: kept } : rest;
}

function partsDeclared(schema: JsonObject, pointer: string, report: ChangeReport): JsonObject {
  const { properties, items, anyOf } = schema;
  const fitted = (part: unknown, place: string) =>
    (isSchema(part) ? requireDeclared(part, `${pointer}${place}`, report) : part) as JsonValue;
  const result: JsonObject = { ...schema };
  if (isObject(properties))
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [
        name,
        fitted(part, `/properties/${escapePointer(name)}`),
      ]),
    );
  if (isObject(items)) result.items = fitted(items, "/items");
  if (Array.isArray(anyOf)) {
    const before = report.weakened;
    const options = anyOf.map((part, index) => fitted(part, `/anyOf/${index}`));
    // One that demands nothing now makes all of them say nothing.
    const isVoid = options.some((option) => isObject(option) && Object.keys(option).length === 0);
    if (isVoid && report.weakened > before) delete result.anyOf;
    else result.anyOf = options;
  }
  return result;
}
