import type { WorkBudget } from "../schema/work-budget.ts";
import { patternCost } from "./pattern-cost.ts";
import { compilePattern, type PatternProgram } from "./pattern-program.ts";
import { runPattern } from "./pattern-run.ts";
import { compileNative, type ParsedPattern, parsePattern } from "./pattern-syntax.ts";

/** A pattern of a server, ready to be matched without giving the server power over our time. */
export interface SafePattern {
  /**
   * Whether the pattern matches anywhere in the text.
   *
   * @returns `undefined` if the pattern is not one that we understand; then nobody but the server can tell.
   * @throws WorkExceeded if telling would take more than the budget.
   */
  matches(text: string, budget: WorkBudget): boolean | undefined;
}

/** Native steps, which are quick, for one unit of work. */
const NATIVE_STEPS_PER_UNIT = 16;

/** What any match costs, however short the text. */
const UNITS_PER_MATCH = 1;

/**
 * What the engine's own expression may cost. It is charged for the most that it could take, which it hardly ever does, so that this
 * has to be little; beyond it the steps are really counted.
 */
const MAX_NATIVE_COST = 20_000;

/**
 * Prepares a pattern. The engine's own expression is used wherever its cost is certainly small, which holds for nearly every
 * pattern that servers write; it cannot be stopped, so everything else is run step by step.
 */
export function createSafePattern(source: string): SafePattern {
  const native = compileNative(source);
  const parsed = native === undefined ? undefined : parsePattern(source);
  if (native === undefined || parsed === undefined) return { matches: () => undefined };
  const costFor = patternCost(parsed.root);
  let program: PatternProgram | "too-long" | undefined;
  return {
    matches(text, budget) {
      budget.spend(UNITS_PER_MATCH);
      const cost = costFor(text.length);
      if (cost <= MAX_NATIVE_COST) {
        budget.spend(cost / NATIVE_STEPS_PER_UNIT);
        return native.test(text);
      }
      budget.spend(text.length / NATIVE_STEPS_PER_UNIT);
      program ??= programOf(parsed);
      if (program === "too-long") budget.spend(Number.POSITIVE_INFINITY);
      return program === "too-long" ? undefined : runPattern(program, text, budget);
    },
  };
}

function programOf(parsed: ParsedPattern): PatternProgram | "too-long" {
  return compilePattern(parsed) ?? "too-long";
}
