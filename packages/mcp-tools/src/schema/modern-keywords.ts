import type { JsonObject } from "@jackfield/mcp-core";
import type { ChangeReport } from "./schema-change.ts";
import type { SchemaDialect } from "./schema-index.ts";
import { isObject } from "./subschemas.ts";

/** Says a schema in the words of 2020-12. */
export type ModernKeywords = (schema: JsonObject, pointer: string) => JsonObject;

/** One for all parts of a schema: what is inlined in many places may depend on many names, which are read once. */
export function createModernKeywords(
  dialect: SchemaDialect,
  report: Pick<ChangeReport, "add">,
): ModernKeywords {
  const known: KnownDependents = new Map();
  return (schema, pointer) => modernKeywords(schema, dialect, pointer, report, known);
}

/**
 * The same schema in the words of 2020-12: lists in `items`, `additionalItems`, `dependencies` and the flags of draft 4 are
 * refused by providers. What draft 7 does not know demands nothing of its schemas, and goes. The parts within are left as they are.
 */
function modernKeywords(
  original: JsonObject,
  dialect: SchemaDialect,
  pointer: string,
  report: Pick<ChangeReport, "add">,
  known: KnownDependents,
): JsonObject {
  const result: JsonObject = { ...original };
  const rewrite = (keyword: string, message: string): void => {
    delete result[keyword];
    report.add({ pointer, kind: "rewritten", keyword, message });
  };
  for (const keyword of dialect === "draft-7" ? LATER_KEYWORDS : [])
    if (result[keyword] !== undefined) rewrite(keyword, `\`${keyword}\` demands nothing in draft 7.`);
  const schema: JsonObject = { ...result };
  // Beside `prefixItems` it is no word of an older draft, but a mistake that is left out later.
  if (Array.isArray(schema.items) && !Array.isArray(schema.prefixItems)) {
    rewrite("items", "A list of schemas in `items` became `prefixItems`.");
    result.prefixItems = schema.items;
    if (schema.additionalItems !== undefined) result.items = schema.additionalItems;
  }
  if (schema.additionalItems !== undefined) rewrite("additionalItems", "`additionalItems` became `items`.");
  if (isObject(schema.dependencies)) {
    rewrite("dependencies", "`dependencies` became `dependentRequired` and `dependentSchemas`.");
    Object.assign(result, modernDependents(schema, schema.dependencies, known));
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

/** What `dependencies` became, together with what stood beside them. */
interface Dependents {
  readonly dependentRequired?: unknown;
  readonly dependentSchemas?: unknown;
}

/** By the `dependencies`, with what stood beside them then. */
type KnownDependents = Map<JsonObject, Dependents & { readonly result: Dependents }>;

function modernDependents(
  { dependentRequired, dependentSchemas }: JsonObject,
  dependencies: JsonObject,
  known: KnownDependents,
): Dependents {
  const made = known.get(dependencies);
  const isSame = made?.dependentRequired === dependentRequired && made?.dependentSchemas === dependentSchemas;
  if (made !== undefined && isSame) return made.result;
  const entries = Object.entries(dependencies);
  const lists = entries.filter(([, value]) => Array.isArray(value));
  const schemas = entries.filter(([, value]) => !Array.isArray(value));
  const result: Dependents = {
    ...(lists.length > 0 && { dependentRequired: mergedWith(dependentRequired, lists, joinedNames) }),
    ...(schemas.length > 0 && { dependentSchemas: mergedWith(dependentSchemas, schemas, bothOf) }),
  };
  known.set(dependencies, { dependentRequired, dependentSchemas, result });
  return result;
}

/** Both words may speak of one name, and then both demand something. What cannot be read stays, to be told when it is left out. */
function mergedWith(
  existing: unknown,
  entries: readonly [string, unknown][],
  joined: (one: unknown, other: unknown) => unknown,
): unknown {
  if (existing !== undefined && existing !== null && !isObject(existing)) return existing;
  const merged = new Map(Object.entries(existing ?? {}));
  for (const [name, demand] of entries) {
    const known = merged.get(name);
    merged.set(name, known === undefined ? demand : joined(known, demand));
  }
  return Object.fromEntries(merged);
}

function joinedNames(one: unknown, other: unknown): unknown {
  return Array.isArray(one) ? [...new Set([one, other].flat())] : one;
}

function bothOf(one: unknown, other: unknown): unknown {
  return { allOf: [one, other] };
}
