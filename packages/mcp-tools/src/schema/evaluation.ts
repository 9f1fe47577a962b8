import type { JsonObject } from "@jackfield/mcp-core";
import type { SchemaIndex } from "./schema-index.ts";
import type { ReadSchema } from "./schema-reader.ts";
import type { ServerPattern } from "./server-pattern.ts";
import { escapePointer } from "./subschemas.ts";
import type { WorkBudget } from "./work-budget.ts";

/** One thing that is wrong with a value. */
export interface SchemaProblem {
  /** Where, as a JSON pointer into the value; empty for the value itself. */
  readonly path: string;
  /** What, in plain words for readers who see neither the value nor the schema. */
  readonly message: string;
}

/** The most problems of a value that are kept; a model needs no more to do better. */
const MAX_KEPT = 20;

/** What is wrong with a value, in the order in which it was found. */
export class Problems {
  /** The first problems, at most 20, so that memory stays bounded. */
  readonly kept: SchemaProblem[] = [];
  count = 0;

  add(problem: SchemaProblem): void {
    this.count += 1;
    if (this.kept.length < MAX_KEPT) this.kept.push(problem);
  }

  addAll({ kept, count }: Problems): void {
    this.kept.push(...kept.slice(0, MAX_KEPT - this.kept.length));
    this.count += count;
  }
}

/** The members or items that were evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
  /** Whether some of them count as evaluated only if a demand is met that only the server can judge. */
  isUncertain: boolean;
}

/** The state of one validation. */
export interface Evaluation {
  readonly index: SchemaIndex;
  readonly budget: WorkBudget;
  read(schema: JsonObject): ReadSchema;
  pattern(source: string): ServerPattern;
  /** Replaced for a while by keywords that try a schema without reporting its problems. */
  problems: Problems;
  /**
   * How many demands were taken as met because only the server can judge them. Keywords that exclude or count must not rely on
   * one. Demands that change nothing, because the result is certain without them, are subtracted again.
   */
  assumptions: number;
  /** How many schemas are being applied within each other. */
  depth: number;
}

/** The documents that were entered so far, innermost first, for `$dynamicRef`. */
export interface DynamicScope {
  readonly base: string;
  readonly outer: DynamicScope | undefined;
}

/** The place of a value within a validation. */
export interface Place {
  readonly path: string;
  readonly scope: DynamicScope;
  /** Missing if no keyword needs it. */
  readonly evaluated: Evaluated | undefined;
}

/** Records why the value is not valid. */
export function refuse(evaluation: Evaluation, path: string, message: string): false {
  evaluation.problems.add({ path, message });
  return false;
}

/** Takes a demand as met. Which parts it would have evaluated is unknown, so all of them count as evaluated. */
export function assumeMet(value: unknown, { evaluated }: Place, evaluation: Evaluation): true {
  evaluation.assumptions += 1;
  addEverything(evaluated, value, evaluation.budget);
  return true;
}

/** Resets the number of assumed demands to an earlier one, where the result is certain without the later ones. */
export function restoreAssumptions(assumptions: number, { evaluated }: Place, evaluation: Evaluation): void {
  if (evaluation.assumptions === assumptions) return;
  evaluation.assumptions = assumptions;
  if (evaluated !== undefined) evaluated.isUncertain = true;
}

/** Nothing evaluated yet. */
export function nothingEvaluated(): Evaluated {
  return { properties: new Set(), items: new Set(), isUncertain: false };
}

/** Adds all parts of a value. */
function addEverything(to: Evaluated | undefined, value: unknown, budget: WorkBudget): void {
  if (to === undefined || typeof value !== "object" || value === null) return;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  const length = Array.isArray(value) ? value.length : 0;
  budget.spend(names.length + length / 2);
  for (const name of names) to.properties.add(name);
  for (let index = 0; index < length; index += 1) to.items.add(index);
}

/** Adds what another branch evaluated. */
export function addEvaluated(
  to: Evaluated | undefined,
  from: Evaluated | undefined,
  budget: WorkBudget,
): void {
  if (to === undefined || from === undefined) return;
  budget.spend((from.properties.size + from.items.size) / 2);
  for (const name of from.properties) to.properties.add(name);
  for (const index of from.items) to.items.add(index);
  to.isUncertain ||= from.isUncertain;
}

/** The place of a member of an object. */
export function memberPlace(place: Place, name: string, budget: WorkBudget): Place {
  budget.spend(name.length / 128);
  return { ...place, path: `${place.path}/${escapePointer(name)}`, evaluated: undefined };
}

/** The place of an item of a list. */
export function itemPlace(place: Place, index: number): Place {
  return { ...place, path: `${place.path}/${index}`, evaluated: undefined };
}
