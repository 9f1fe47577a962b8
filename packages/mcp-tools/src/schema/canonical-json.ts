import type { WorkBudget } from "./work-budget.ts";

/** Characters that are written for one unit of work. */
const CHARACTERS_PER_UNIT = 128;

/** A text that two JSON values share exactly if they are equal. */
export function canonicalJson(value: unknown, budget: WorkBudget): string {
  budget.spend(1);
  if (typeof value === "string") budget.spend(value.length / CHARACTERS_PER_UNIT);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, budget)).join()}]`;
  const keys = Object.keys(value);
  budget.spend(keys.length);
  const members = keys.sort().map((key) => {
    budget.spend(key.length / CHARACTERS_PER_UNIT);
    return `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key], budget)}`;
  });
  return `{${members.join()}}`;
}

/** How far from a whole number a quotient may be: a few rounding errors, and never as far as halfway to the next. */
const MAX_TOLERANCE = 1 / 4;

/** Whether a number is a multiple of a divisor greater than 0, tolerating the rounding of binary fractions. */
export function isMultipleOf(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  // The remainder of whole numbers is exact, however large they are.
  if ((Number.isInteger(value) && Number.isInteger(divisor)) || !Number.isFinite(quotient))
    return value % divisor === 0;
  const distance = Math.abs(quotient - Math.round(quotient));
  return distance <= Math.min(MAX_TOLERANCE, Number.EPSILON * Math.max(1, Math.abs(quotient)) * 4);
}
