import type { JsonObject } from "@jackfield/mcp-core";
import { type Evaluation, type Place, refuse } from "./evaluation.ts";
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
  const { first, rest } = itemSchemas(schema);
  let isValid = true;
  for (const [index, item] of value.entries()) {
    const part = index < first.length ? first[index] : rest;
    if (!isSchema(part)) continue;
    place.evaluated?.items.add(index);
    isValid = tools.evaluate(part, item, itemPlace(place, index), tools.evaluation) && isValid;
  }
  return checkContains(schema, value, place, tools) && isValid;
}

/** The schemas of the first items, and that of all others; a list in `items` is draft 7's form of `prefixItems`. */
function itemSchemas({ prefixItems, items, additionalItems }: JsonObject): {
  readonly first: readonly unknown[];
  readonly rest: JsonSchema | undefined;
} {
  const schemaOf = (value: unknown) => (isSchema(value) ? value : undefined);
  if (Array.isArray(prefixItems))
    return { first: prefixItems, rest: Array.isArray(items) ? undefined : schemaOf(items) };
  if (Array.isArray(items)) return { first: items, rest: schemaOf(additionalItems) };
  return { first: [], rest: schemaOf(items) };
}

function checkContains(
  { contains, minContains = 1, maxContains }: JsonObject,
  value: readonly unknown[],
  place: Place,
  tools: Tools,
): boolean {
  if (!isSchema(contains)) return true;
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

function itemPlace(place: Place, index: number): Place {
  return { ...place, path: `${place.path}/${index}`, evaluated: undefined };
}
