import type { JsonObject } from "@jackfield/mcp-core";
import { type Evaluation, itemPlace, type Place, refuse, restoreAssumptions } from "./evaluation.ts";
import type { Evaluate, Fits } from "./schema-validator.ts";

interface Tools {
  readonly evaluation: Evaluation;
  readonly evaluate: Evaluate;
  readonly fits: Fits;
}

/** Checks the keywords that apply schemas to the items of a list. */
export function checkListParts(
  schema: JsonObject,
  value: readonly unknown[],
  place: Place,
  tools: Tools,
): boolean {
  const { prefixItems, items: rest } = schema;
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
  const end = rest === undefined ? Math.min(first.length, value.length) : value.length;
  tools.evaluation.budget.spend(end / 4);
  let isValid = true;
  for (let index = 0; index < end; index += 1) {
    const part = index < first.length ? first[index] : rest;
    place.evaluated?.items.add(index);
    isValid = tools.evaluate(part, value[index], itemPlace(place, index), tools.evaluation) && isValid;
  }
  return checkContains(schema, value, place, tools) && isValid;
}

function checkContains(
  { contains, minContains, maxContains }: JsonObject,
  value: readonly unknown[],
  place: Place,
  { evaluation, fits }: Tools,
): boolean {
  if (contains === undefined) return true;
  const { assumptions } = evaluation;
  const [least, most] = [countOf(minContains, 1), countOf(maxContains, Number.POSITIVE_INFINITY)];
  const found = value.map((item, index) => fits(contains, item, itemPlace(place, index), evaluation));
  for (const [index, isFound] of found.entries()) if (isFound !== false) place.evaluated?.items.add(index);
  // An item that only the server can judge may or may not count.
  const possible = found.filter((isFound) => isFound !== false).length;
  const certain = found.filter((isFound) => isFound === true).length;
  if (possible < least)
    return refuse(evaluation, place.path, `must contain at least ${least} items of a certain kind`);
  if (certain > most)
    return refuse(evaluation, place.path, `must contain at most ${most} items of a certain kind`);
  if (certain >= least && possible <= most) restoreAssumptions(assumptions, place, evaluation);
  return true;
}

function countOf(keyword: unknown, byDefault: number): number {
  return typeof keyword === "number" ? keyword : byDefault;
}
