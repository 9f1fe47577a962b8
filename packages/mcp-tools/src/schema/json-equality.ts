import type { WorkBudget } from "./work-budget.ts";

/** Characters that are compared, or written, for one unit of work. */
const CHARACTERS_PER_UNIT = 128;

/** Whether two JSON values are the same, whatever the order of their members. Objects of any prototype are compared alike. */
export function isSameJson(one: unknown, other: unknown, budget?: WorkBudget): boolean {
  if (typeof one === "string" && typeof other === "string" && one.length === other.length)
    budget?.spend(one.length / CHARACTERS_PER_UNIT);
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) && Array.isArray(other)) return isSameList(one, other, budget);
  if (Array.isArray(one) || Array.isArray(other)) return false;
  const keys = Object.keys(one);
  const others = Object.keys(other);
  budget?.spend((keys.length + others.length) / 2 + 1);
  if (keys.length !== others.length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(other, key) &&
      isSameJson((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], budget),
  );
}

function isSameList(one: readonly unknown[], other: readonly unknown[], budget?: WorkBudget): boolean {
  if (one.length !== other.length) return false;
  return one.every((item, index) => {
    budget?.spend(1 / 4);
    return isSameJson(item, other[index], budget);
  });
}

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
