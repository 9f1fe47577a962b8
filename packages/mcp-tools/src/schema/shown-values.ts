import type { WorkBudget } from "./work-budget.ts";

/** Maximum number of names or values of a schema that are shown. */
const MAX_SHOWN = 10;
const MAX_VALUE_LENGTH = 64;
const MAX_NAME_LENGTH = 128;

/** How many names are missing, and the first of them to show. */
export interface MissingNames {
  readonly count: number;
  readonly shown: readonly string[];
}

/** The names of a list that an object does not have. */
export function missingFrom(value: object, names: unknown, budget: WorkBudget): MissingNames {
  if (!Array.isArray(names)) return { count: 0, shown: [] };
  budget.spend(names.length);
  const shown: string[] = [];
  let count = 0;
  for (const name of names) {
    if (Object.hasOwn(value, name)) continue;
    count += 1;
    if (shown.length < MAX_SHOWN) shown.push(name);
  }
  return { count, shown };
}

/** Missing names in a sentence. */
export function formatNames({ count, shown }: MissingNames): string {
  return withMore(
    shown.map((name) => JSON.stringify(name.slice(0, MAX_NAME_LENGTH))),
    count,
  );
}

/** Values in a sentence, the beginning of each. */
export function formatValues(values: readonly unknown[], budget: WorkBudget): string {
  const shown = values
    .slice(0, MAX_SHOWN)
    .map((value) => beginningOf(value, MAX_VALUE_LENGTH, budget).slice(0, MAX_VALUE_LENGTH));
  return withMore(shown, values.length);
}

function withMore(shown: readonly string[], count: number): string {
  const list = shown.join(", ");
  return count > shown.length ? `${list} and ${count - shown.length} more` : list;
}

/** At least the first `length` characters of a value's JSON; the rest is not read. */
function beginningOf(value: unknown, length: number, budget: WorkBudget): string {
  budget.spend(1);
  if (typeof value === "string") return JSON.stringify(value.slice(0, length));
  if (typeof value !== "object" || value === null) return String(JSON.stringify(value));
  const isList = Array.isArray(value);
  let text = isList ? "[" : "{";
  let separator = "";
  for (const key of isList ? value.keys() : namesOf(value, budget)) {
    if (text.length >= length) return text;
    const name = isList ? "" : `${beginningOf(key, length - text.length, budget)}:`;
    text += separator + name;
    text += beginningOf((value as Record<PropertyKey, unknown>)[key], length - text.length, budget);
    separator = ",";
  }
  return text + (isList ? "]" : "}");
}

function namesOf(value: object, budget: WorkBudget): readonly string[] {
  const names = Object.keys(value);
  budget.spend(names.length);
  return names;
}
