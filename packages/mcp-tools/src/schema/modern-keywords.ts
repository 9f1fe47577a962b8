import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import type { ChangeReport } from "./schema-change.ts";
import type { SchemaDialect } from "./schema-index.ts";

/** Rewrites a schema with the keywords of 2020-12. */
export type ModernKeywords = (schema: JsonObject, pointer: string) => JsonObject;

/** Create one for all parts of a schema: `dependencies` that are inlined in many places are then read once. */
export function createModernKeywords(
  dialect: SchemaDialect,
  report: Pick<ChangeReport, "add">,
): ModernKeywords {
  const known: KnownDependents = new Map();
  return (schema, pointer) => modernKeywords(schema, dialect, pointer, report, known);
}

/**
 * Rewrites a schema with the keywords of 2020-12: providers refuse lists in `items`, `additionalItems`, `dependencies` and the
 * flags of draft 4. Keywords that draft 7 does not know demand nothing in its schemas, and are dropped. Subschemas are left as
 * they are.
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
    if (result[keyword] !== undefined) rewrite(keyword, `\`${keyword}\` has no effect in draft 7.`);
  const schema: JsonObject = { ...result };
  // Beside `prefixItems`, such a list is not an older draft's but a mistake, which is dropped later.
  if (Array.isArray(schema.items) && !Array.isArray(schema.prefixItems)) {
    rewrite("items", "A list of schemas in `items` became `prefixItems`.");
    result.prefixItems = schema.items;
    if (schema.additionalItems !== undefined) result.items = schema.additionalItems;
  }
  if (schema.additionalItems !== undefined) rewrite("additionalItems", "`additionalItems` became `items`.");
  if (isRecord(schema.dependencies)) {
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

/** Keywords that drafts after 7 added. */
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

/** What `dependencies` became, merged with the same keywords beside it. */
interface Dependents {
  readonly dependentRequired?: unknown;
  readonly dependentSchemas?: unknown;
}

/** Results by `dependencies` object, with the keywords that stood beside it. */
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

/** Both keywords may name one property, and then both demands apply. A malformed value stays, to be reported when it is dropped. */
function mergedWith(
  existing: unknown,
  entries: readonly [string, unknown][],
  joined: (one: unknown, other: unknown) => unknown,
): unknown {
  if (existing !== undefined && existing !== null && !isRecord(existing)) return existing;
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
