import type { JsonObject } from "@jackfield/mcp-core";
import { missingFrom } from "./assertions.ts";
import { type Evaluation, type Place, refuse } from "./evaluation.ts";
import type { Evaluate } from "./schema-validator.ts";
import { escapePointer, isObject, isSchema, type JsonSchema } from "./subschemas.ts";

interface Tools {
  readonly evaluation: Evaluation;
  readonly evaluate: Evaluate;
}

/** The keywords that apply schemas to the members of an object. */
export function checkObjectParts(schema: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  const isNamed = checkNames(schema, value, place, tools);
  const isDependent = checkDependencies(schema, value, place, tools);
  let isValid = isNamed && isDependent;
  for (const [name, member] of Object.entries(value)) {
    const { schemas, isUnknown } = schemasFor(name, schema, tools.evaluation);
    if (schemas.length > 0 || isUnknown) place.evaluated?.properties.add(name);
    const at = { ...place, path: `${place.path}/${escapePointer(name)}`, evaluated: undefined };
    for (const part of schemas) isValid = tools.evaluate(part, member, at, tools.evaluation) && isValid;
  }
  return isValid;
}

interface MemberSchemas {
  readonly schemas: readonly JsonSchema[];
  /** A pattern could not be tried, so nobody knows whether its schema applies. */
  readonly isUnknown: boolean;
}

/** What applies to a member: its own schema and those of its name's patterns, else the one for all others. */
function schemasFor(name: string, schema: JsonObject, { budget, pattern }: Evaluation): MemberSchemas {
  const { properties, patternProperties, additionalProperties } = schema;
  const schemas: JsonSchema[] = [];
  if (isObject(properties) && Object.hasOwn(properties, name) && isSchema(properties[name]))
    schemas.push(properties[name]);
  let isUnknown = false;
  for (const [source, part] of isObject(patternProperties) ? Object.entries(patternProperties) : []) {
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
  let isValid = true;
  for (const name of Object.keys(value)) {
    const at = { ...place, path: `${place.path}/${escapePointer(name)}`, evaluated: undefined };
    isValid = tools.evaluate(propertyNames, name, at, tools.evaluation) && isValid;
  }
  return isValid;
}

/** `dependencies` is draft 7's name for two keywords of later drafts. */
function checkDependencies(schema: JsonObject, value: JsonObject, place: Place, tools: Tools): boolean {
  const { dependentSchemas, dependencies } = schema;
  let isValid = true;
  for (const keyword of [dependentSchemas, dependencies]) {
    if (!isObject(keyword)) continue;
    for (const [name, dependency] of Object.entries(keyword)) {
      if (!Object.hasOwn(value, name)) continue;
      const missing = missingFrom(value, dependency);
      if (missing.length > 0) {
        const names = missing.map((needed) => JSON.stringify(needed)).join(", ");
        isValid = refuse(tools.evaluation, place.path, `must have ${names} because of another property`);
      }
      if (isSchema(dependency))
        isValid = tools.evaluate(dependency, value, place, tools.evaluation) && isValid;
    }
  }
  return isValid;
}
