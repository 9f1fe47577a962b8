import type { JsonObject } from "@jackfield/mcp-core";
import { type Evaluation, type Place, Problems, refuse, restoreAssumptions } from "./evaluation.ts";
import type { Evaluate, Fits } from "./schema-validator.ts";

interface Tools {
  readonly evaluation: Evaluation;
  readonly evaluate: Evaluate;
  readonly fits: Fits;
}

/** Checks `allOf`, `anyOf`, `oneOf` and `not`. */
export function checkCombinations(
  { allOf, anyOf, oneOf, not }: JsonObject,
  value: unknown,
  place: Place,
  tools: Tools,
): boolean {
  const { evaluation, evaluate, fits } = tools;
  let isValid = true;
  for (const part of Array.isArray(allOf) ? allOf : [])
    isValid = evaluate(part, value, place, evaluation) && isValid;
  if (Array.isArray(anyOf)) isValid = fitsAny(anyOf, value, place, tools) && isValid;
  if (Array.isArray(oneOf)) isValid = fitsOne(oneOf, value, place, tools) && isValid;
  if (not !== undefined && fits(not, value, { ...place, evaluated: undefined }, evaluation) === true)
    return refuse(evaluation, place.path, "must not match the schema that is excluded here");
  return isValid;
}

function fitsAny(alternatives: readonly unknown[], value: unknown, place: Place, tools: Tools): boolean {
  const { assumptions } = tools.evaluation;
  const { certain, assumed } = countFitting(alternatives, value, place, tools);
  if (certain > 0) restoreAssumptions(assumptions, place, tools.evaluation);
  return certain + assumed > 0;
}

function fitsOne(alternatives: readonly unknown[], value: unknown, place: Place, tools: Tools): boolean {
  const { certain, assumed } = countFitting(alternatives, value, place, tools);
  if (certain <= 1) return certain + assumed > 0;
  return refuse(tools.evaluation, place.path, `must match only one alternative, but ${certain} match`);
}

/** How many alternatives fit for certain, and how many if demands are met that only the server can judge. */
interface Fitting {
  readonly certain: number;
  readonly assumed: number;
}

/** Counts the alternatives that fit. If none does, the problems of the nearest one are reported. */
function countFitting(
  alternatives: readonly unknown[],
  value: unknown,
  place: Place,
  { evaluation, evaluate }: Tools,
): Fitting {
  const { problems } = evaluation;
  let certain = 0;
  let assumed = 0;
  let nearest: Problems | undefined;
  for (const alternative of alternatives) {
    const { assumptions } = evaluation;
    const missed = new Problems();
    evaluation.problems = missed;
    if (evaluate(alternative, value, place, evaluation)) {
      if (evaluation.assumptions === assumptions) certain += 1;
      else assumed += 1;
    }
    if (nearest === undefined || missed.count < nearest.count) nearest = missed;
  }
  evaluation.problems = problems;
  if (certain + assumed === 0) {
    refuse(evaluation, place.path, `must match one of ${alternatives.length} alternatives`);
    if (nearest !== undefined) problems.addAll(nearest);
  }
  return { certain, assumed };
}
