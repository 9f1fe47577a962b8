import type { WorkBudget } from "../schema/work-budget.ts";
import { patternCost } from "./pattern-cost.ts";
import { compilePattern, type PatternProgram } from "./pattern-program.ts";
import { runPattern } from "./pattern-run.ts";
import { compileNative, type ParsedPattern, parsePattern } from "./pattern-syntax.ts";

/** A server's pattern, which can be matched within a work budget. */
export interface SafePattern {
  /**
   * Whether the pattern matches anywhere in the text.
   *
   * @returns `undefined` if the pattern is not understood, so that only the server can tell.
   * @throws WorkExceeded if matching would exceed the budget.
   */
  matches(text: string, budget: WorkBudget): boolean | undefined;
}

/** Native steps, which are fast, for one unit of work. */
const NATIVE_STEPS_PER_UNIT = 16;

/** What any match costs, however short the text. */
const UNITS_PER_MATCH = 1;

/**
 * The highest estimated cost at which a native `RegExp` is used. It is charged its upper bound, which it hardly ever reaches,
 * so the limit is low; above it, each step is counted.
 */
const MAX_NATIVE_COST = 20_000;

/**
 * Prepares a pattern. A native `RegExp` cannot be interrupted, so it is used only where its cost is certainly small, which
 * holds for nearly every pattern that servers write. Everything else is run step by step.
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
