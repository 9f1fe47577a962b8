import type { ToolFilter } from "@jackfield/mcp-core";
import { matchesPattern } from "@jackfield/mcp-tools/name-pattern";

/** Whether a server's filter lets a tool through, by its original name. `exclude` beats `include`. */
export function isIncluded(filter: ToolFilter | undefined, tool: string): boolean {
  if (filter === undefined) return true;
  const { include, exclude = [] } = filter;
  const isNamed = (patterns: readonly string[]) => patterns.some((pattern) => matchesPattern(pattern, tool));
  return (include === undefined || isNamed(include)) && !isNamed(exclude);
}

/**
 * The warning for a filter that includes tools the server does not offer, for example because of a typo ([L24]). `undefined` if all is
 * well; an `exclude` that matches nothing does no harm.
 */
export function unmatchedInclude(
  { include = [] }: ToolFilter = {},
  advertised: readonly string[],
): string | undefined {
  const unmatched = include.filter((pattern) => !advertised.some((tool) => matchesPattern(pattern, tool)));
  if (unmatched.length === 0) return undefined;
  const offered = advertised.slice(0, 20).map((tool) => `"${tool}"`);
  const more = advertised.length > 20 ? ` and ${advertised.length - 20} more` : "";
  return `The server's filter includes ${unmatched.map((pattern) => `"${pattern}"`).join(", ")}, which matches none of its tools; it offers ${offered.join(", ") || "none"}${more}.`;
}
