import type { JsonObject } from "@jackfield/mcp-core";
import { dependentsOf } from "./dependents.ts";
import { type Evaluation, memberPlace, type Place, refuse } from "./evaluation.ts";
import type { Evaluate } from "./schema-validator.ts";
import { isObject, isSchema, type JsonSchema } from "./subschemas.ts";
import { missingFrom, toldNames } from "./told-values.ts";

interface Tools {
  readonly evaluation: Evaluation;
  readonly evaluate: Evaluate;
}

/** The keywords that apply schemas to the members of an object. */
export function checkObjectParts(schema: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  const isNamed = checkNames(schema, value, place, tools);
  const isDependent = checkDependencies(schema, value, place, tools);
  return checkMembers(schema, value, place, tools) && isNamed && isDependent;
}

function checkMembers(schema: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  const { properties, patternProperties, additionalProperties } = schema;
  if ([properties, patternProperties, additionalProperties].every((keyword) => keyword === undefined))
    return true;
  const { budget } = tools.evaluation;
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  const names = Object.keys(value);
  budget.spend(names.length + patterns.length * 4);
  let isValid = true;
  for (const name of names) {
    const { schemas, isUnknown } = schemasFor(name, schema, patterns, tools.evaluation);
    if (schemas.length > 0 || isUnknown) place.evaluated?.properties.add(name);
    if (schemas.length === 0) continue;
    const at = memberPlace(place, name, budget);
    for (const part of schemas) isValid = tools.evaluate(part, value[name], at, tools.evaluation) && isValid;
  }
  return isValid;
}

interface MemberSchemas {
  readonly schemas: readonly JsonSchema[];
  /** A pattern could not be tried, so nobody knows whether its schema applies. */
  readonly isUnknown: boolean;
}

/** What applies to a member: its own schema and those of its name's patterns, else the one for all others. */
function schemasFor(
  name: string,
  { properties, additionalProperties }: JsonObject,
  patterns: readonly (readonly [source: string, part: unknown])[],
  { budget, pattern }: Evaluation,
): MemberSchemas {
  const schemas: JsonSchema[] = [];
  if (isObject(properties) && Object.hasOwn(properties, name) && isSchema(properties[name]))
    schemas.push(properties[name]);
  let isUnknown = false;
  budget.spend(patterns.length / 4);
  for (const [source, part] of patterns) {
    if (!isSchema(part)) continue;
    const isMatched = pattern(source).matches(name, budget);
    if (isMatched === true) schemas.push(part);
    isUnknown ||= isMatched === undefined;
  }
  const isOther = schemas.length === 0 && !isUnknown && isSchema(additionalProperties);
  return { schemas: isOther ? [additionalProperties] : schemas, isUnknown };
}

function checkNames({ propertyNames }: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  if (!isSchema(propertyNames)) return true;
  const names = Object.keys(value);
  tools.evaluation.budget.spend(names.length);
  let isValid = true;
  for (const name of names) {
    const at = memberPlace(place, name, tools.evaluation.budget);
    isValid = tools.evaluate(propertyNames, name, at, tools.evaluation) && isValid;
  }
  return isValid;
}

/** `dependencies` is draft 7's name for two keywords of later drafts. */
function checkDependencies(schema: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  const { evaluation, evaluate } = tools;
  const { dependentSchemas, dependencies } = schema;
  let isValid = true;
  for (const keyword of evaluation.index.dialect === "draft-7"
    ? [dependencies]
    : [dependentSchemas, dependencies]) {
    for (const [, dependency] of dependentsOf(keyword, value, evaluation.budget)) {
      const missing = missingFrom(value, dependency, evaluation.budget);
      if (missing.count > 0)
        isValid = refuse(
          evaluation,
          place.path,
          `must have ${toldNames(missing)} because of another property`,
        );
      if (isSchema(dependency)) isValid = evaluate(dependency, value, place, evaluation) && isValid;
    }
  }
  return isValid;
}
