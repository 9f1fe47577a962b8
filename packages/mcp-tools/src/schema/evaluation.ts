import type { SafePattern } from "../pattern/safe-pattern.ts";
import type { SchemaIndex } from "./schema-index.ts";
import type { WorkBudget } from "./work-budget.ts";

/** One thing that is wrong with a value. */
export interface SchemaProblem {
  /** Where, as a JSON pointer into the value; empty for the value itself. */
  readonly path: string;
  /** What, in plain words; whoever reads it sees neither the value nor the schema. */
  readonly message: string;
}

/** What has been looked at of an object or a list, for keywords that judge the rest. */
export interface Evaluated {
  readonly properties: Set<string>;
  readonly items: Set<number>;
}

/** What one validation needs everywhere. */
export interface Evaluation {
  readonly index: SchemaIndex;
  readonly budget: WorkBudget;
  pattern(source: string): SafePattern;
  /** In the order in which they were found; a keyword that was satisfied otherwise takes back what it added. */
  readonly problems: SchemaProblem[];
  /** How many schemas are being applied one within the other. */
  depth: number;
}

/** Documents that were entered on the way, for `$dynamicRef`. */
export interface DynamicScope {
  readonly base: string;
  readonly outer: DynamicScope | undefined;
}

/** A value in its place. */
export interface Place {
  readonly path: string;
  readonly scope: DynamicScope;
  /** Missing where no keyword asks. */
  readonly evaluated: Evaluated | undefined;
}

/** Says that the value is not valid, and why. */
export function refuse(evaluation: Evaluation, path: string, message: string): false {
  evaluation.problems.push({ path, message });
  return false;
}

/** Nothing looked at yet. */
export function nothingEvaluated(): Evaluated {
  return { properties: new Set(), items: new Set() };
}

/** All parts of a value. */
export function everythingIn(value: unknown): Evaluated {
  const parts = typeof value === "object" && value !== null ? value : {};
  return Array.isArray(parts)
    ? { properties: new Set(), items: new Set(parts.keys()) }
    : { properties: new Set(Object.keys(parts)), items: new Set() };
}

/** Adds what another branch looked at. */
export function addEvaluated(to: Evaluated | undefined, from: Evaluated | undefined): void {
  for (const name of from?.properties ?? []) to?.properties.add(name);
  for (const index of from?.items ?? []) to?.items.add(index);
}
