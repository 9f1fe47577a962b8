import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { dependentsOf } from "./dependents.ts";
import {
  type Evaluation,
  itemPlace,
  memberPlace,
  type Place,
  refuse,
  restoreAssumptions,
} from "./evaluation.ts";
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

/** Checks the keywords that apply schemas to the members of an object. */
export function checkObjectParts(schema: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  const isNamed = checkNames(schema, value, place, tools);
  const isDependent = checkDependents(schema, value, place, tools);
  return checkMembers(schema, value, place, tools) && isNamed && isDependent;
}

function checkMembers(schema: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  const { properties, patternProperties, additionalProperties } = schema;
  const isOpen = properties === undefined && patternProperties === undefined;
  if (isOpen && additionalProperties === undefined) return true;
  const { budget } = tools.evaluation;
  const patterns = isRecord(patternProperties) ? Object.entries(patternProperties) : [];
  const names = Object.keys(value);
  budget.spend(names.length + patterns.length * 4);
  let isValid = true;
  for (const name of names) {
    const schemas = schemasFor(name, schema, patterns, tools.evaluation);
    if (schemas.length === 0) continue;
    place.evaluated?.properties.add(name);
    const at = memberPlace(place, name, budget);
    for (const part of schemas) isValid = tools.evaluate(part, value[name], at, tools.evaluation) && isValid;
  }
  return isValid;
}

/** The schemas that apply to a member: its own and those of matching patterns, or else `additionalProperties`. */
function schemasFor(
  name: string,
  { properties, additionalProperties }: JsonObject,
  patterns: readonly (readonly [source: string, part: unknown])[],
  { budget, pattern }: Evaluation,
): readonly unknown[] {
  const isNamed = isRecord(properties) && Object.hasOwn(properties, name);
  const schemas: unknown[] = isNamed ? [properties[name]] : [];
  budget.spend(patterns.length / 4);
  for (const [source, part] of patterns) {
    const isMatched = pattern(source).matches(name, budget);
    // A pattern that is not understood may or may not match. `undefined`, which is not a schema, leaves it to the server.
    if (isMatched !== false) schemas.push(isMatched ? part : undefined);
  }
  return schemas.length === 0 && additionalProperties !== undefined ? [additionalProperties] : schemas;
}

function checkNames({ propertyNames }: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  if (propertyNames === undefined) return true;
  const names = Object.keys(value);
  tools.evaluation.budget.spend(names.length);
  let isValid = true;
  for (const name of names) {
    const at = memberPlace(place, name, tools.evaluation.budget);
    isValid = tools.evaluate(propertyNames, name, at, tools.evaluation) && isValid;
  }
  return isValid;
}

function checkDependents(
  { dependentSchemas }: JsonObject,
  value: JsonObject,
  place: Place,
  { evaluation, evaluate }: Tools,
): boolean {
  let isValid = true;
  for (const [, part] of dependentsOf(dependentSchemas, value, evaluation.budget))
    isValid = evaluate(part, value, place, evaluation) && isValid;
  return isValid;
}
