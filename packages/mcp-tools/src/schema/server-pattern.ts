import type { WorkBudget } from "./work-budget.ts";

/** A `pattern`, or a name in `patternProperties`, as a server wrote it. */
export interface ServerPattern {
  /**
   * Whether the pattern matches anywhere in the text.
   *
   * @returns `undefined` if the pattern is invalid or may run away on this text: then only the server can tell
   */
  matches(text: string, budget: WorkBudget): boolean | undefined;
}

/** The most steps that matching may take, by an upper estimate. The engine of regular expressions cannot be stopped. */
const MAX_STEPS = 1_000_000;
const UNITS_PER_MATCH = 2;
const STEPS_PER_UNIT = 64;
const MAX_PATTERN_LENGTH = 4_096;

const CLASS = /\[(?:\\.|[^\]\\])*\]/gs;
const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|.)/gs;
const REFERS_BACK = /\\(?:[1-9]|k<)/;
const LOOKS_AROUND = /\(\?(?!:)/;
const REPEATED_GROUP = /\)(?:[*+]|\{\d+,)/;
const FIXED_GROUP = /\)\{(\d+)\}/g;
const REPETITION = /[*+]|\{(\d+),(\d*)\}/g;
const CHOICE = /\?(?!:)|\|/g;

/**
 * Prepares a pattern. One that repeats a group, looks around or refers back is not run at all; any other only on texts for which even
 * trying every choice at every place takes few steps.
 */
export function readPattern(source: string): ServerPattern {
  const unclassed = source.replace(CLASS, "a");
  const bare = unclassed.replace(ESCAPE, "a");
  const mayRunAway = REFERS_BACK.test(unclassed) || LOOKS_AROUND.test(bare) || REPEATED_GROUP.test(bare);
  const expression = mayRunAway || source.length > MAX_PATTERN_LENGTH ? undefined : compiled(source);
  if (expression === undefined) return { matches: () => undefined };
  const ranges = [...bare.matchAll(REPETITION)].map(([, least, most]) =>
    most === undefined || most === "" ? Number.POSITIVE_INFINITY : Number(most) - Number(least) + 1,
  );
  const copies = [...bare.matchAll(FIXED_GROUP)].reduce((product, [, count]) => product * Number(count), 1);
  const choices = bare.match(CHOICE)?.length ?? 0;
  return {
    matches(text, budget) {
      const lengths = ranges.reduce((product, range) => product * Math.min(range, text.length + 1), 1);
      const steps = (text.length + 1) * (lengths * 2 ** choices) ** copies;
      if (steps > MAX_STEPS) return undefined;
      budget.spend(UNITS_PER_MATCH + steps / STEPS_PER_UNIT);
      return expression.test(text);
    },
  };
}

/** By code points, or by code units for patterns with needless backslashes. */
function compiled(source: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(source, flags);
    } catch {
      // The next flags are more lenient.
    }
  }
  return undefined;
}
