import { McpError, type ToolDescriptor } from "@jackfield/mcp-core";
import { matchesPattern } from "./name-pattern.ts";
import { isForModels } from "./tool-metadata.ts";

/** Which of a source's tools are offered, by exposed or original name; `*` stands for any characters, also none. */
export interface ToolSelection {
  /** Only these. Default: all. An empty list selects nothing. */
  readonly include?: readonly string[] | undefined;
  /** Not these; takes precedence over `include`. Default: none. */
  readonly exclude?: readonly string[] | undefined;
}

/**
 * The tools that a selection leaves for a model, in their order. Tools that their server keeps for its own interface (`_meta.ui.visibility`
 * without `model`) are never among them.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an invalid selection: a string in place of a list must not be read as its
 * characters.
 */
export function selectTools(
  tools: readonly ToolDescriptor[],
  selection: ToolSelection = {},
): readonly ToolDescriptor[] {
  checkSelection(selection);
  const { include, exclude = [] } = selection;
  const isNamed = (tool: ToolDescriptor, patterns: readonly string[]): boolean =>
    patterns.some(
      (pattern) => matchesPattern(pattern, tool.name) || matchesPattern(pattern, tool.originalName),
    );
  return tools.filter(
    (tool) =>
      isForModels(tool) && (include === undefined || isNamed(tool, include)) && !isNamed(tool, exclude),
  );
}

/**
 * Rejects an invalid selection before there is a tool to select.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkSelection({ include, exclude }: ToolSelection): void {
  checkPatterns("include", include);
  checkPatterns("exclude", exclude);
}

function checkPatterns(option: keyof ToolSelection, patterns: unknown): void {
  if (patterns === undefined) return;
  if (Array.isArray(patterns) && patterns.every((pattern) => typeof pattern === "string")) return;
  const message = `Option "${option}" must be a list of names of tools, which may hold "*".`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
