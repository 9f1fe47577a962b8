import type { ToolFilter } from "@jackfield/mcp-core";
import { matchesPattern } from "@jackfield/mcp-tools";

/** Whether a server's filter lets a tool through, by its original name. `exclude` beats `include`. */
export function isIncluded({ include, exclude = [] }: ToolFilter = {}, tool: string): boolean {
  const isNamed = (patterns: readonly string[]) => patterns.some((pattern) => matchesPattern(pattern, tool));
  return (include === undefined || isNamed(include)) && !isNamed(exclude);
}
