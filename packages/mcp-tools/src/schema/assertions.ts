import { canonicalJson, isRecord, isSameJson, type JsonObject } from "@jackfield/mcp-core";
import { dependentsOf } from "./dependents.ts";
import { type Evaluation, refuse } from "./evaluation.ts";
import { formatNames, formatValues, missingFrom } from "./shown-values.ts";

/**
 * Checks the keywords that judge a value by itself. `format` and `content…` are annotations and demand nothing (2020-12,
 * section 7).
 */
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
  if (isRecord(value)) return checkObject(schema, value, path, evaluation) && isTyped && isListed;
  return isTyped && isListed;
}

function checkType({ type }: JsonObject, value: unknown, path: string, evaluation: Evaluation): boolean {
  if (type === undefined) return true;
  if (Array.isArray(type) ? type.some((name) => isOfType(value, name)) : isOfType(value, type)) return true;
  return refuse(evaluation, path, `must be of type ${[type].flat().join(" or ")}`);
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
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

function checkListed(schema: JsonObject, value: unknown, path: string, evaluation: Evaluation): boolean {
  const { budget } = evaluation;
  if (Object.hasOwn(schema, "const") && !isSameJson(value, schema.const, budget))
    return refuse(evaluation, path, "must be the only value that is allowed here");
  if (!Array.isArray(schema.enum)) return true;
  budget.spend(schema.enum.length / 4);
  if (schema.enum.some((allowed) => isSameJson(value, allowed, budget))) return true;
  return refuse(evaluation, path, `must be one of ${formatValues(schema.enum, budget)}`);
}

function checkNumber(schema: JsonObject, value: number, path: string, evaluation: Evaluation): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && value < minimum)
    return refuse(evaluation, path, `must not be less than ${minimum}`);
  if (typeof maximum === "number" && value > maximum)
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
  const { pattern } = schema;
  if (!checkLength(schema, value, path, evaluation)) return false;
  if (typeof pattern !== "string") return true;
  const isMatched = evaluation.pattern(pattern).matches(value, evaluation.budget);
  if (isMatched === undefined) evaluation.assumptions += 1;
  if (isMatched !== false) return true;
  return refuse(evaluation, path, `must match the pattern ${pattern.slice(0, 128)}`);
}

function checkLength(
  { minLength, maxLength }: JsonObject,
  value: string,
  path: string,
  evaluation: Evaluation,
): boolean {
  const least = typeof minLength === "number" ? minLength : 0;
  const most = typeof maxLength === "number" ? maxLength : Number.POSITIVE_INFINITY;
  // A character is one code unit or two, so most lengths need not be counted.
  if (value.length / 2 >= least && value.length <= most) return true;
  evaluation.budget.spend(value.length / 32);
  const length = codePoints(value);
  if (length < least) return refuse(evaluation, path, `must have at least ${minLength} characters`);
  if (length > most) return refuse(evaluation, path, `must have at most ${maxLength} characters`);
  return true;
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
  if (uniqueItems !== true || value.length < 2) return true;
  const { budget } = evaluation;
  const written = value.map((item) => {
    spendOn(item, budget);
    return canonicalJson(item);
  });
  if (new Set(written).size === value.length) return true;
  return refuse(evaluation, path, "must not contain the same item twice");
}

function checkObject(schema: JsonObject, value: JsonObject, path: string, evaluation: Evaluation): boolean {
  const { minProperties, maxProperties, required } = schema;
  const { budget } = evaluation;
  if (typeof minProperties === "number" || typeof maxProperties === "number") {
    const { length } = Object.keys(value);
    budget.spend(length);
    if (typeof minProperties === "number" && length < minProperties)
      return refuse(evaluation, path, `must have at least ${minProperties} properties`);
    if (typeof maxProperties === "number" && length > maxProperties)
      return refuse(evaluation, path, `must have at most ${maxProperties} properties`);
  }
  const missing = missingFrom(value, required, budget);
  if (missing.count > 0) return refuse(evaluation, path, `must have ${formatNames(missing)}`);
  return checkDependentNames(schema, value, path, evaluation);
}

function checkDependentNames(
  { dependentRequired }: JsonObject,
  value: JsonObject,
  path: string,
  evaluation: Evaluation,
): boolean {
  for (const [name, others] of dependentsOf(dependentRequired, value, evaluation.budget)) {
    const missing = missingFrom(value, others, evaluation.budget);
    if (missing.count === 0) continue;
    const because = formatNames({ count: 1, shown: [name] });
    return refuse(evaluation, path, `must have ${formatNames(missing)} because it has ${because}`);
  }
  return true;
}

/** Characters that are written for one unit of work. */
const CHARACTERS_PER_UNIT = 128;

/** What it costs to write a value. */
function spendOn(value: unknown, budget: Evaluation["budget"]): void {
  budget.spend(typeof value === "string" ? 1 + value.length / CHARACTERS_PER_UNIT : 1);
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    budget.spend(1 + name.length / CHARACTERS_PER_UNIT);
    spendOn(member, budget);
  }
}

/** How far from a whole number a quotient may be: a few rounding errors, and never as far as halfway to the next. */
const MAX_TOLERANCE = 1 / 4;

/** Whether a number is a multiple of a divisor greater than 0, tolerating the rounding of binary fractions. */
function isMultipleOf(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  // The remainder of whole numbers is exact, however large they are.
  if ((Number.isInteger(value) && Number.isInteger(divisor)) || !Number.isFinite(quotient))
    return value % divisor === 0;
  const distance = Math.abs(quotient - Math.round(quotient));
  return distance <= Math.min(MAX_TOLERANCE, Number.EPSILON * Math.max(1, Math.abs(quotient)) * 4);
}
