import type { ToolDescriptor } from "@jackfield/mcp-core";
import { matchesPattern } from "./name-pattern.ts";

/** Which of a source's tools are offered, by exposed or original name; `*` stands for any characters, also none. */
export interface ToolSelection {
  /** Only these. Default: all. An empty list selects nothing. */
  readonly include?: readonly string[] | undefined;
  /** Not these; beats `include`. Default: none. */
  readonly exclude?: readonly string[] | undefined;
}

/** The tools that a selection leaves, in their order. */
export function selectTools(
  tools: readonly ToolDescriptor[],
  { include, exclude = [] }: ToolSelection = {},
): readonly ToolDescriptor[] {
  const isNamed = (tool: ToolDescriptor, patterns: readonly string[]): boolean =>
    patterns.some(
      (pattern) => matchesPattern(pattern, tool.name) || matchesPattern(pattern, tool.originalName),
    );
  return tools.filter((tool) => (include === undefined || isNamed(tool, include)) && !isNamed(tool, exclude));
}
