import type { ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import {
  checkProfile,
  createModelTool,
  type ModelToolOptions,
  selectTools,
  type ToolSelection,
} from "@jackfield/mcp-tools";
import type { StructuredTool } from "@langchain/core/tools";
import { createLangchainTool } from "./mcp-tool.ts";

/**
 * Which tools are offered (`include`, `exclude`, by exposed or original name, with `*` for any characters), how their schemas are
 * fitted (`schemaProfile`), and what is called when a call fails (`onError`).
 */
export interface LangchainToolsOptions extends ToolSelection, ModelToolOptions {}

/**
 * The tools that a source has now, for `createAgent`, `ToolNode` and `bindTools` of LangChain 1.
 *
 * A snapshot: call it again when the source emits `toolsChanged`, or use `mcpMiddleware`, which can also ask a person to approve calls.
 * A tool that was removed since answers with an error that the model can read. A tool's `invoke` rejects only with `MCP_ABORTED`, if the caller aborted the call; every
 * other failure is a `ToolMessage` with status `error`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown schema profile, and for a selection that is not a list of names. The options
 * are checked even if there are no tools.
 */
export function langchainTools(source: ToolSource, options?: LangchainToolsOptions): StructuredTool[] {
  const { schemaProfile, onError } = options ?? {};
  checkProfile(schemaProfile);
  const adapt = (tool: ToolDescriptor) => createModelTool(source, tool, { schemaProfile, onError });
  return selectTools(source.tools(), options).map((tool) => createLangchainTool(adapt(tool)));
}
