import type { DefinedIn, DefinitionScope } from "@jackfield/mcp-core";
import { kindOf } from "../documents/json-value.ts";
import { quote } from "../server-name.ts";
import { type ConfigProblem, invalidSource } from "../sources/config-problem.ts";

/** From the strongest to the weakest. */
const SCOPES: readonly DefinitionScope[] = ["explicit", "managed", "local", "project", "user", "extension"];

/** The order in which scopes count. */
export interface ScopeOrder {
  readonly scopes: readonly DefinitionScope[];
  /** Whether the caller gave it. It then also holds within a host, whatever the host's own exceptions are. */
  readonly isGiven: boolean;
}

/** Reads the `order` option, which may come from untyped code. Faulty elements are problems, and the others count. */
export function readScopeOrder(order: unknown): ScopeOrder & { readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const definedIn: DefinedIn = { scope: "explicit", pointer: "/order" };
  const refuse = (text: string) =>
    problems.push({ definedIn, error: invalidSource(definedIn, text), kind: "ConfigShapeError" });
  if (order === undefined || order === null) return { scopes: SCOPES, isGiven: false, problems };
  if (!Array.isArray(order)) {
    refuse(`it must be a list of scopes, not ${kindOf(order)}.`);
    return { scopes: SCOPES, isGiven: false, problems };
  }
  for (const scope of order as readonly unknown[]) {
    if (isScope(scope)) continue;
    const named = typeof scope === "string" ? quote(scope) : kindOf(scope);
    refuse(`${named} is not a scope; use one of ${SCOPES.map(quote).join(", ")}.`);
  }
  return { scopes: order.filter(isScope), isGiven: true, problems };
}

/** Sorts by scope, the strongest first; scopes that the order does not have come last. Items of one scope keep their order. */
export function sortByScope<T>(
  items: readonly T[],
  { scopes }: ScopeOrder,
  scopeOf: (item: T) => DefinitionScope,
): readonly T[] {
  const ranked = Map.groupBy(items, (item) => scopes.indexOf(scopeOf(item)));
  return [...scopes.keys(), -1].flatMap((rank) => ranked.get(rank) ?? []);
}

function isScope(scope: unknown): scope is DefinitionScope {
  return SCOPES.some((known) => known === scope);
}
