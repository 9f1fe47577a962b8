import type { JsonObject } from "@jackfield/mcp-core";
import { type Evaluation, refuse } from "./evaluation.ts";
import { canonicalJson, isMultipleOf, isSameJson } from "./json-equality.ts";
import { isObject } from "./subschemas.ts";

/** The keywords that judge a value by itself. `format` and `content…` say something and demand nothing (2020-12, section 7). */
export function checkAssertions(
  schema: JsonObject,
  value: unknown,
  path: string,
  evaluation: Evaluation,
): boolean {
  const isTyped = checkType(schema, value, path, evaluation);
  const isListed = checkListed(schema, value, path, evaluation);
  if (typeof value === "number") return checkNumber(schema, value, path, evaluation) && isTyped && isListed;
  if (typeof value === "string") return checkString(schema, value, path, evaluation) && isTyped && isListed;
  if (Array.isArray(value)) return checkList(schema, value, path, evaluation) && isTyped && isListed;
  if (isObject(value)) return checkObject(schema, value, path, evaluation) && isTyped && isListed;
  return isTyped && isListed;
}

function checkType({ type }: JsonObject, value: unknown, path: string, evaluation: Evaluation): boolean {
  if (type === undefined) return true;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.some((name) => isOfType(value, name))) return true;
  return refuse(evaluation, path, `must be of type ${types.map(String).join(" or ")}`);
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function checkListed(schema: JsonObject, value: unknown, path: string, evaluation: Evaluation): boolean {
  if (Object.hasOwn(schema, "const") && !isSameJson(value, schema.const))
    return refuse(evaluation, path, "must be the one value that is allowed here");
  if (!Array.isArray(schema.enum)) return true;
  evaluation.budget.spend(schema.enum.length / 4);
  if (schema.enum.some((allowed) => isSameJson(value, allowed))) return true;
  return refuse(evaluation, path, `must be one of ${listed(schema.enum)}`);
}

function listed(values: readonly unknown[]): string {
  const shown = values
    .slice(0, 10)
    .map((value) => JSON.stringify(value).slice(0, 64))
    .join(", ");
  return values.length > 10 ? `${shown} and ${values.length - 10} more` : shown;
}

function checkNumber(schema: JsonObject, value: number, path: string, evaluation: Evaluation): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // Draft 4: the exclusive keywords are flags that belong to the others.
  if (typeof minimum === "number" && (value < minimum || (exclusiveMinimum === true && value === minimum)))
    return refuse(evaluation, path, `must not be less than ${minimum}`);
  if (typeof maximum === "number" && (value > maximum || (exclusiveMaximum === true && value === maximum)))
    return refuse(evaluation, path, `must not be more than ${maximum}`);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    return refuse(evaluation, path, `must be more than ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    return refuse(evaluation, path, `must be less than ${exclusiveMaximum}`);
  if (typeof multipleOf === "number" && !isMultipleOf(value, multipleOf))
    return refuse(evaluation, path, `must be a multiple of ${multipleOf}`);
  return true;
}

function checkString(schema: JsonObject, value: string, path: string, evaluation: Evaluation): boolean {
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === "number" || typeof maxLength === "number") {
    evaluation.budget.spend(value.length / 64);
    const length = codePoints(value);
    if (typeof minLength === "number" && length < minLength)
      return refuse(evaluation, path, `must have at least ${minLength} characters`);
    if (typeof maxLength === "number" && length > maxLength)
      return refuse(evaluation, path, `must have at most ${maxLength} characters`);
  }
  if (typeof pattern !== "string") return true;
  if (evaluation.pattern(pattern).matches(value, evaluation.budget) !== false) return true;
  return refuse(evaluation, path, `must match the pattern ${pattern.slice(0, 128)}`);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function checkList(
  schema: JsonObject,
  value: readonly unknown[],
  path: string,
  evaluation: Evaluation,
): boolean {
  const { minItems, maxItems, uniqueItems } = schema;
  if (typeof minItems === "number" && value.length < minItems)
    return refuse(evaluation, path, `must have at least ${minItems} items`);
  if (typeof maxItems === "number" && value.length > maxItems)
    return refuse(evaluation, path, `must have at most ${maxItems} items`);
  if (uniqueItems !== true) return true;
  evaluation.budget.spend(value.length);
  if (new Set(value.map(canonicalJson)).size === value.length) return true;
  return refuse(evaluation, path, "must not hold the same item twice");
}

function checkObject(schema: JsonObject, value: JsonObject, path: string, evaluation: Evaluation): boolean {
  const { minProperties, maxProperties, required, dependentRequired } = schema;
  const names = Object.keys(value);
  if (typeof minProperties === "number" && names.length < minProperties)
    return refuse(evaluation, path, `must have at least ${minProperties} properties`);
  if (typeof maxProperties === "number" && names.length > maxProperties)
    return refuse(evaluation, path, `must have at most ${maxProperties} properties`);
  const missing = missingFrom(value, required);
  if (missing.length > 0) return refuse(evaluation, path, `must have ${quoted(missing)}`);
  if (!isObject(dependentRequired)) return true;
  for (const [name, others] of Object.entries(dependentRequired)) {
    const needed = Object.hasOwn(value, name) ? missingFrom(value, others) : [];
    if (needed.length > 0)
      return refuse(evaluation, path, `must have ${quoted(needed)} because it has ${quoted([name])}`);
  }
  return true;
}

/** The names of a list that an object has not. */
export function missingFrom(value: JsonObject, names: unknown): readonly string[] {
  if (!Array.isArray(names)) return [];
  return names.filter((name) => typeof name === "string" && !Object.hasOwn(value, name));
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name.slice(0, 128))).join(", ");
}
