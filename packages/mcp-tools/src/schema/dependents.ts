import type { JsonObject } from "@jackfield/mcp-core";
import { isObject } from "./subschemas.ts";
import type { WorkBudget } from "./work-budget.ts";

/** What a keyword demands of an object that has certain members, for each of these that the object has; in the keyword's order. */
export function dependentsOf(
  keyword: unknown,
  value: JsonObject,
  budget: WorkBudget,
): readonly (readonly [name: string, demand: unknown])[] {
  if (!isObject(keyword)) return [];
  // The keyword may be huge and is the same for many objects, so it is asked and not read.
  const names = Object.keys(value);
  budget.spend(names.length);
  const found = names.filter((name) => Object.hasOwn(keyword, name));
  if (found.length < 2) return found.map((name) => [name, keyword[name]]);
  const ordered = Object.keys(keyword);
  budget.spend(ordered.length);
  return ordered.filter((name) => Object.hasOwn(value, name)).map((name) => [name, keyword[name]]);
}
