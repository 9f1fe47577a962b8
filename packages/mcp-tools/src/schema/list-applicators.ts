import type { JsonObject } from "@jackfield/mcp-core";
import { type Evaluation, itemPlace, type Place, refuse } from "./evaluation.ts";
import type { SchemaDialect } from "./schema-index.ts";
import type { Evaluate } from "./schema-validator.ts";
import { isSchema, type JsonSchema } from "./subschemas.ts";

interface Tools {
  readonly evaluation: Evaluation;
  readonly evaluate: Evaluate;
  readonly isValidFor: Evaluate;
}

/** The keywords that apply schemas to the items of a list. */
export function checkListParts(
  schema: JsonObject,
  value: readonly unknown[],
  place: Place,
  tools: Tools,
): boolean {
  const { first, rest } = itemSchemas(schema, tools.evaluation.index.dialect);
  const end = rest === undefined ? Math.min(first.length, value.length) : value.length;
  tools.evaluation.budget.spend(end / 4);
  let isValid = true;
  for (let index = 0; index < end; index += 1) {
    const part = index < first.length ? first[index] : rest;
    if (!isSchema(part)) continue;
    place.evaluated?.items.add(index);
    isValid = tools.evaluate(part, value[index], itemPlace(place, index), tools.evaluation) && isValid;
  }
  return checkContains(schema, value, place, tools) && isValid;
}

interface ItemSchemas {
  readonly first: readonly unknown[];
  readonly rest: JsonSchema | undefined;
}

/** The schemas of the first items, and that of all others; a list in `items` is draft 7's form of `prefixItems`. */
function itemSchemas(
  { prefixItems, items, additionalItems }: JsonObject,
  dialect: SchemaDialect,
): ItemSchemas {
  const schemaOf = (value: unknown) => (isSchema(value) ? value : undefined);
  if (Array.isArray(prefixItems) && dialect !== "draft-7")
    return { first: prefixItems, rest: Array.isArray(items) ? undefined : schemaOf(items) };
  if (Array.isArray(items)) return { first: items, rest: schemaOf(additionalItems) };
  return { first: [], rest: schemaOf(items) };
}

function checkContains(
  { contains, ...counts }: JsonObject,
  value: readonly unknown[],
  place: Place,
  tools: Tools,
): boolean {
  if (!isSchema(contains)) return true;
  // Draft 7 knows no counts: one item is enough, and any number is allowed.
  const { minContains = 1, maxContains } = tools.evaluation.index.dialect === "draft-7" ? {} : counts;
  const found = [...value.keys()].filter((index) =>
    tools.isValidFor(contains, value[index], itemPlace(place, index), tools.evaluation),
  );
  for (const index of found) place.evaluated?.items.add(index);
  if (typeof minContains === "number" && found.length < minContains)
    return refuse(tools.evaluation, place.path, `must hold at least ${minContains} items of a certain kind`);
  if (typeof maxContains === "number" && found.length > maxContains)
    return refuse(tools.evaluation, place.path, `must hold at most ${maxContains} items of a certain kind`);
  return true;
}
