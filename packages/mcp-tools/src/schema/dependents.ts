import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import type { WorkBudget } from "./work-budget.ts";

/** The demands of `dependentRequired` or `dependentSchemas` for each of its names that an object has, in the keyword's order. */
export function dependentsOf(
  keyword: unknown,
  value: JsonObject,
  budget: WorkBudget,
): readonly (readonly [name: string, demand: unknown])[] {
  if (!isRecord(keyword)) return [];
  // The keyword's value may be huge and is the same for many objects, so names are looked up in it instead of listing it.
  const names = Object.keys(value);
  budget.spend(names.length);
  const found = names.filter((name) => Object.hasOwn(keyword, name));
  if (found.length < 2) return found.map((name) => [name, keyword[name]]);
  const ordered = Object.keys(keyword);
  budget.spend(ordered.length);
  return ordered.filter((name) => Object.hasOwn(value, name)).map((name) => [name, keyword[name]]);
}
