import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import { checkListParts, checkObjectParts } from "./applicators.ts";
import { checkAssertions } from "./assertions.ts";
import { checkCombinations } from "./combinations.ts";
import {
  addEvaluated,
  assumeMet,
  type DynamicScope,
  type Evaluation,
  itemPlace,
  memberPlace,
  nothingEvaluated,
  type Place,
  Problems,
  refuse,
  type SchemaProblem,
} from "./evaluation.ts";
import { createSchemaIndex, type ReferenceTarget, type SchemaIndex } from "./schema-index.ts";
import { createSchemaReader } from "./schema-reader.ts";
import { readPattern, type ServerPattern } from "./server-pattern.ts";
import type { JsonSchema } from "./subschemas.ts";
import { createWorkBudget, type WorkBudget, WorkExceeded } from "./work-budget.ts";

/** Checks values against one schema. */
export interface SchemaValidator {
  /**
   * What is wrong with a value; empty if nothing is.
   *
   * @throws WorkExceeded if the check would take too long.
   */
  problems(value: unknown): readonly SchemaProblem[];
}

/** The deepest nesting of applied schemas, references included. */
const MAX_EVALUATION_DEPTH = 400;
/** The cost of applying one schema, in units of work. */
const UNITS_PER_SCHEMA = 8;

/**
 * An interpreter of JSON Schema 2020-12 and draft 7 for untrusted schemas: it fetches nothing, generates no code, changes
 * nothing, and stops when a value exceeds its work budget. References that lead out of the schema, patterns that are invalid or may
 * run away, and malformed keywords are taken as satisfied, since only the server can judge them. Where that would make a
 * schema stricter, in `oneOf`, `not`, `if` and `maxContains`, they do not count.
 *
 * @throws SchemaTooLarge
 */
export function createSchemaValidator(schema: JsonSchema): SchemaValidator {
  const index = createSchemaIndex(schema);
  const read = createSchemaReader(index.dialect);
  const patterns = new Map<string, ServerPattern>();
  const pattern = (source: string, budget: WorkBudget): ServerPattern => {
    const known = patterns.get(source);
    if (known !== undefined) return known;
    budget.spend(source.length);
    const created = readPattern(source);
    patterns.set(source, created);
    return created;
  };
  return {
    problems(value) {
      const budget = createWorkBudget();
      const evaluation: Evaluation = {
        index,
        budget,
        read,
        pattern: (source) => pattern(source, budget),
        problems: new Problems(),
        assumptions: 0,
        depth: 0,
      };
      const place = { path: "", scope: rootScope(index), evaluated: undefined };
      return evaluate(schema, value, place, evaluation) ? [] : evaluation.problems.kept;
    },
  };
}

function rootScope(index: SchemaIndex): DynamicScope {
  const base = isRecord(index.root) ? index.baseOf(index.root) : "";
  return { base, outer: undefined };
}

/** Applies one schema to one value; `false` is certain. */
export type Evaluate = (schema: unknown, value: unknown, place: Place, evaluation: Evaluation) => boolean;
/** Whether a value fits; `undefined` if only the server can say. */
export type Fits = (...args: Parameters<Evaluate>) => boolean | undefined;

const evaluate: Evaluate = (schema, value, place, evaluation) => {
  evaluation.budget.spend(UNITS_PER_SCHEMA);
  if (schema === true) return true;
  if (schema === false) return refuse(evaluation, place.path, "is not allowed");
  if (!isRecord(schema)) return assumeMet(value, place, evaluation);
  if (evaluation.depth >= MAX_EVALUATION_DEPTH) throw new WorkExceeded("The schema is too deep.");
  evaluation.depth += 1;
  const { assumptions } = evaluation;
  const isValid = evaluateKeywords(schema, value, within(place, schema, evaluation.index), evaluation, place);
  // An invalid result is certain, whatever the server makes of the assumed demands.
  if (!isValid) evaluation.assumptions = assumptions;
  evaluation.depth -= 1;
  return isValid;
};

function evaluateKeywords(
  schema: JsonObject,
  value: unknown,
  inner: Place,
  evaluation: Evaluation,
  outer: Place,
): boolean {
  const { index } = evaluation;
  if (index.dialect === "draft-7" && typeof schema.$ref === "string")
    return checkReference(resolve(schema.$ref, schema, evaluation), value, inner, evaluation);
  const { keywords, hasDroppedDemand, hasDroppedEvaluatingKeyword, isLeaf } = evaluation.read(schema);
  if (hasDroppedEvaluatingKeyword) assumeMet(value, inner, evaluation);
  else if (hasDroppedDemand) evaluation.assumptions += 1;
  // Every check is made even if one has failed, so that all problems are told at once.
  const areAssertionsMet = checkAssertions(keywords, value, inner.path, evaluation);
  if (isLeaf && inner.evaluated === undefined) return areAssertionsMet;
  const areReferencesMet = checkReferences(keywords, schema, value, inner, evaluation);
  const areCombinationsMet = checkCombinations(keywords, value, inner, { evaluation, evaluate, fits });
  const isConditionMet = checkCondition(keywords, value, inner, evaluation);
  const arePartsMet = checkParts(keywords, value, inner, evaluation);
  if (!(areAssertionsMet && areReferencesMet && areCombinationsMet && isConditionMet && arePartsMet))
    return false;
  if (!checkRest(keywords, value, inner, evaluation)) return false;
  // What this schema evaluated counts for outer ones only if the value is valid for it.
  addEvaluated(outer.evaluated, inner.evaluated, evaluation.budget);
  return true;
}

/** The place within a schema: in the schema's document, with nothing evaluated yet. */
function within({ path, scope }: Place, schema: JsonObject, index: SchemaIndex): Place {
  const base = index.baseOf(schema);
  const evaluated = index.hasUnevaluated ? nothingEvaluated() : undefined;
  return { path, scope: base === scope.base ? scope : { base, outer: scope }, evaluated };
}

function checkReferences(
  { $ref, $dynamicRef }: JsonObject,
  schema: JsonObject,
  value: unknown,
  place: Place,
  evaluation: Evaluation,
): boolean {
  const isReferred =
    typeof $ref !== "string" || checkReference(resolve($ref, schema, evaluation), value, place, evaluation);
  if (typeof $dynamicRef !== "string") return isReferred;
  const target = dynamicTarget($dynamicRef, schema, place.scope, evaluation);
  return checkReference(target, value, place, evaluation) && isReferred;
}

function checkReference(
  target: ReferenceTarget | undefined,
  value: unknown,
  place: Place,
  evaluation: Evaluation,
): boolean {
  if (target !== undefined) return evaluate(target.schema, value, place, evaluation);
  return assumeMet(value, place, evaluation);
}

/** Costs the same whether or not the reference was resolved before, so that repeated checks give the same answer. */
function resolve(
  reference: string,
  schema: JsonObject,
  { index, budget }: Evaluation,
): ReferenceTarget | undefined {
  budget.spend((reference.length + index.baseOf(schema).length) / 16);
  return index.resolve(reference, schema);
}

/** The outermost document that was entered and names the anchor wins (2020-12, section 8.2.3.2). */
function dynamicTarget(
  reference: string,
  schema: JsonObject,
  scope: DynamicScope,
  evaluation: Evaluation,
): ReferenceTarget | undefined {
  const { index, budget } = evaluation;
  const target = resolve(reference, schema, evaluation);
  const name = reference.slice(reference.indexOf("#") + 1);
  if (!isRecord(target?.schema) || target.schema.$dynamicAnchor !== name) return target;
  let found: ReferenceTarget = target;
  for (let current: DynamicScope | undefined = scope; current !== undefined; current = current.outer) {
    budget.spend(1 + (current.base.length + name.length) / 64);
    const anchored = index.dynamicAnchor(current.base, name);
    if (anchored !== undefined) found = { schema: anchored, base: current.base };
  }
  return found;
}

function checkCondition(schema: JsonObject, value: unknown, place: Place, evaluation: Evaluation): boolean {
  if (schema.if === undefined) return true;
  const fitsIf = fits(schema.if, value, place, evaluation);
  if (fitsIf === undefined) return assumeMet(value, place, evaluation);
  const branch = fitsIf ? schema.then : schema.else;
  return branch === undefined || evaluate(branch, value, place, evaluation);
}

function checkParts(schema: JsonObject, value: unknown, place: Place, evaluation: Evaluation): boolean {
  if (Array.isArray(value)) return checkListParts(schema, value, place, { evaluation, evaluate, fits });
  if (isRecord(value)) return checkObjectParts(schema, value, place, { evaluation, evaluate, fits });
  return true;
}

/** Checks `unevaluatedProperties` and `unevaluatedItems`. */
function checkRest(schema: JsonObject, value: unknown, place: Place, evaluation: Evaluation): boolean {
  const { unevaluatedProperties, unevaluatedItems } = schema;
  const { evaluated } = place;
  if (evaluated === undefined) return true;
  const { budget } = evaluation;
  let isValid = true;
  if (isRecord(value) && unevaluatedProperties !== undefined) {
    if (evaluated.isUncertain) evaluation.assumptions += 1;
    const names = Object.keys(value);
    budget.spend(names.length);
    for (const name of names.filter((key) => !evaluated.properties.has(key))) {
      const at = memberPlace(place, name, budget);
      isValid = evaluate(unevaluatedProperties, value[name], at, evaluation) && isValid;
      evaluated.properties.add(name);
    }
  }
  if (Array.isArray(value) && unevaluatedItems !== undefined) {
    if (evaluated.isUncertain) evaluation.assumptions += 1;
    budget.spend(value.length / 4);
    for (const [index, item] of value.entries()) {
      if (evaluated.items.has(index)) continue;
      isValid = evaluate(unevaluatedItems, item, itemPlace(place, index), evaluation) && isValid;
      evaluated.items.add(index);
    }
  }
  return isValid;
}

/** Applies a schema without reporting problems. */
const fits: Fits = (schema, value, place, evaluation) => {
  const { problems, assumptions } = evaluation;
  evaluation.problems = new Problems();
  const isValid = evaluate(schema, value, place, evaluation);
  evaluation.problems = problems;
  return isValid && evaluation.assumptions > assumptions ? undefined : isValid;
};
