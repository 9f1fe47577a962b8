import { isRecord, type JsonObject } from "@jackfield/mcp-core";

/** A JSON Schema: an object of keywords, or `true` for anything and `false` for nothing. */
export type JsonSchema = boolean | JsonObject;

/** Keywords that hold one schema. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords that hold a list of schemas; `items` does in draft 7. */
export const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "items",
  "oneOf",
  "prefixItems",
]);

/** Keywords that hold schemas by name. */
export const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

const TYPE_NAMES = new Set<unknown>(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** Whether `type` can name this. */
export function isTypeName(name: unknown): boolean {
  return TYPE_NAMES.has(name);
}

/** A schema within a schema, with its place as a JSON pointer beneath it. */
export interface Subschema {
  readonly pointer: string;
  readonly schema: JsonSchema;
}

/** The schemas directly within a schema, wherever its keywords say that there are some. */
export function* subschemasOf(schema: JsonObject): Generator<Subschema> {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value)) {
      for (const [index, item] of value.entries())
        if (isSchema(item)) yield { pointer: `/${keyword}/${index}`, schema: item };
    } else if (SCHEMA_KEYWORDS.has(keyword) && isSchema(value)) {
      yield { pointer: `/${keyword}`, schema: value };
    } else if (SCHEMA_MAP_KEYWORDS.has(keyword) && isRecord(value)) {
      for (const [name, item] of Object.entries(value))
        if (isSchema(item)) yield { pointer: `/${keyword}/${escapePointer(name)}`, schema: item };
    }
  }
}

/** Whether a value can be a schema. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "boolean" || isRecord(value);
}

/** A name as one part of a JSON pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return /[~/]/.test(name) ? name.replaceAll("~", "~0").replaceAll("/", "~1") : name;
}

/** A name as it was before `escapePointer`. */
export function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
