import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { dependentsOf } from "./dependents.ts";
import { type Evaluation, memberPlace, type Place } from "./evaluation.ts";
import type { Evaluate } from "./schema-validator.ts";

interface Tools {
  readonly evaluation: Evaluation;
  readonly evaluate: Evaluate;
}

/** Checks the keywords that apply schemas to the members of an object. */
export function checkObjectParts(schema: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  const isNamed = checkNames(schema, value, place, tools);
  const isDependent = checkDependents(schema, value, place, tools);
  return checkMembers(schema, value, place, tools) && isNamed && isDependent;
}

function checkMembers(schema: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  const { properties, patternProperties, additionalProperties } = schema;
  if ([properties, patternProperties, additionalProperties].every((keyword) => keyword === undefined))
    return true;
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
  const schemas: unknown[] = [];
  if (isRecord(properties) && Object.hasOwn(properties, name)) schemas.push(properties[name]);
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
