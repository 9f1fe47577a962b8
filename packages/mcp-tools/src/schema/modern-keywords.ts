import type { JsonObject } from "@jackfield/mcp-core";
import type { ChangeReport } from "./schema-change.ts";
import type { SchemaDialect } from "./schema-index.ts";
import { isObject } from "./subschemas.ts";

/**
 * The same schema in the words of 2020-12: lists in `items`, `additionalItems`, `dependencies` and the flags of draft 4 are
 * refused by providers. What draft 7 does not know demands nothing of its schemas, and goes. The parts within are left as they are.
 */
export function modernKeywords(
  original: JsonObject,
  dialect: SchemaDialect,
  pointer: string,
  report: Pick<ChangeReport, "add">,
): JsonObject {
  const result: JsonObject = { ...original };
  const rewrite = (keyword: string, message: string): void => {
    delete result[keyword];
    report.add({ pointer, kind: "rewritten", keyword, message });
  };
  for (const keyword of dialect === "draft-7" ? LATER_KEYWORDS : [])
    if (result[keyword] !== undefined) rewrite(keyword, `\`${keyword}\` demands nothing in draft 7.`);
  const schema: JsonObject = { ...result };
  if (Array.isArray(schema.items)) {
    rewrite("items", "A list of schemas in `items` became `prefixItems`.");
    result.prefixItems = schema.items;
    if (schema.additionalItems !== undefined) result.items = schema.additionalItems;
  }
  if (schema.additionalItems !== undefined) rewrite("additionalItems", "`additionalItems` became `items`.");
  if (isObject(schema.dependencies)) {
    rewrite("dependencies", "`dependencies` became `dependentRequired` and `dependentSchemas`.");
    const entries = Object.entries(schema.dependencies);
    const lists = entries.filter(([, value]) => Array.isArray(value));
    const schemas = entries.filter(([, value]) => !Array.isArray(value));
    if (lists.length > 0) result.dependentRequired = mergedWith(schema.dependentRequired, lists);
    if (schemas.length > 0) result.dependentSchemas = mergedWith(schema.dependentSchemas, schemas);
  }
  for (const [flag, limit] of EXCLUSIVE_FLAGS) {
    if (typeof schema[flag] !== "boolean") continue;
    rewrite(flag, `The flag \`${flag}\` became a number.`);
    if (schema[flag] === true && typeof schema[limit] === "number") {
      result[flag] = schema[limit];
      delete result[limit];
    }
  }
  return result;
}

/** What drafts after 7 added. */
const LATER_KEYWORDS = [
  "$dynamicRef",
  "dependentRequired",
  "dependentSchemas",
  "maxContains",
  "minContains",
  "prefixItems",
  "unevaluatedItems",
  "unevaluatedProperties",
];

const EXCLUSIVE_FLAGS = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

function mergedWith(existing: unknown, entries: readonly [string, unknown][]): JsonObject {
  return { ...Object.fromEntries(entries), ...(isObject(existing) ? existing : {}) };
}
