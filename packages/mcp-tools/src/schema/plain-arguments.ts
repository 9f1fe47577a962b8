import { isRecord } from "@jackfield/mcp-core";
import { NOTE_KEYWORDS } from "./sound-keywords.ts";
import type { JsonSchema } from "./subschemas.ts";

/** Whether a value certainly fits a schema. `false` is inconclusive: the value has to be checked keyword by keyword. */
export type PlainFit = (value: unknown) => boolean;

/** Keywords that demand nothing of a value, and `type`, which is checked. */
const PLAIN_KEYWORDS: ReadonlySet<string> = new Set([...NOTE_KEYWORDS, "type"]);

/** Keywords of an object of which every member is listed, so that `additionalProperties` does not matter. */
const PLAIN_OBJECT_KEYWORDS: ReadonlySet<string> = new Set([
  ...PLAIN_KEYWORDS,
  "additionalProperties",
  "properties",
  "required",
]);

/**
 * A fast check for what most tools are called with: an object of listed members that are strings, numbers and booleans. It is
 * much cheaper than a full check and allocates nothing.
 *
 * @returns `undefined` if the schema asks for more than that.
 */
export function createPlainFit(schema: JsonSchema): PlainFit | undefined {
  if (!isRecord(schema) || !isPlain(schema, PLAIN_OBJECT_KEYWORDS) || schema.type !== "object")
    return undefined;
  const types = plainTypes(schema.properties);
  const { required } = schema;
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return (value) => {
    if (!isRecord(value)) return false;
    for (const name of needed) if (!Object.hasOwn(value, name)) return false;
    for (const name in value) if (!isOfType(value[name], types.get(name))) return false;
    return true;
  };
}

/** The types of the members of which nothing but a type is demanded. */
function plainTypes(properties: unknown): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const [name, member] of isRecord(properties) ? Object.entries(properties) : [])
    if (isRecord(member) && isPlain(member, PLAIN_KEYWORDS) && typeof member.type === "string")
      types.set(name, member.type);
  return types;
}

function isPlain(schema: object, keywords: ReadonlySet<string>): boolean {
  return Object.keys(schema).every((keyword) => keywords.has(keyword));
}

function isOfType(value: unknown, type: string | undefined): boolean {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    default:
      return false;
  }
}
