import { NO_VARIABLES } from "../variables.ts";
import { CLAUDE_PLUGIN_ENTRY } from "./claude-entry.ts";
import { type HostDialect, serversUnder } from "./host-dialect.ts";

/**
 * The `.mcp.json` of a workspace, which VS Code reads since 1.131 as Claude Code writes it: strict JSON, under `mcpServers`,
 * without variables. `VSCODE` says where these files are.
 */
export const VSCODE_MCP_JSON: HostDialect = {
  id: "vscode-mcp-json",
  title: "VS Code",
  format: "json",
  files: [],
  servers: serversUnder("mcpServers"),
  entry: CLAUDE_PLUGIN_ENTRY,
  variables: NO_VARIABLES,
};
