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
 * Which tools are offered (`include`, `exclude`, by exposed or original name, with `*` for any characters), how their schemas
 * are fitted (`schemaProfile`), and who is told of failed calls (`onError`).
 */
export interface LangchainToolsOptions extends ToolSelection, ModelToolOptions {}

/**
 * The tools that a source has now, for `createAgent`, `ToolNode` and `bindTools` of LangChain 1.
 *
 * A snapshot, made at once: call it again when the source says `toolsChanged`, or use `mcpMiddleware`. A tool that has gone
 * meanwhile answers with an error the model can read. Each tool's `invoke` rejects with `MCP_ABORTED` if the caller has given
 * up, and with nothing else; every other failure is a `ToolMessage` with status `error`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a schema profile that does not exist, and for a selection that is no list of names; also
 * where there is no tool.
 */
export function langchainTools(source: ToolSource, options?: LangchainToolsOptions): StructuredTool[] {
  const { schemaProfile, onError } = options ?? {};
  checkProfile(schemaProfile);
  const adapt = (tool: ToolDescriptor) => createModelTool(source, tool, { schemaProfile, onError });
  return selectTools(source.tools(), options).map((tool) => createLangchainTool(adapt(tool)));
}
