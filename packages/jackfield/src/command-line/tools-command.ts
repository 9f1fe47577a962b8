import { McpError, type ToolDescriptor } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import type { CommandResult } from "./status-command.ts";
import { alignColumns, printableLine } from "./terminal.ts";

/** English text and JSON take about so many characters a token; good enough to compare tools. */
const CHARACTERS_PER_TOKEN = 4;

export function tools(
  mcp: Mcp,
  options: { readonly server: string | undefined; readonly tokens: boolean },
): CommandResult {
  const { server, tokens } = options;
  if (server !== undefined && !mcp.servers().some(({ name }) => name === server)) {
    throw new McpError(
      "MCP_SERVER_UNKNOWN",
      `No server is called "${server}"; "jackfield status" lists them.`,
      { server },
    );
  }
  const listed = mcp.tools().filter((tool) => server === undefined || tool.server === server);
  return {
    json: listed.map((tool) => asJson(tool, tokens)),
    text:
      listed.length === 0 ? "No tool is on offer.\n" : alignColumns(listed.map((tool) => row(tool, tokens))),
    exitCode: 0,
  };
}

function asJson(tool: ToolDescriptor, tokens: boolean) {
  const { name, server, originalName, origin, description, definition } = tool;
  const listed = { name, server, originalName, origin, description, inputSchema: definition.inputSchema };
  return tokens ? { ...listed, tokens: estimateTokens(tool) } : listed;
}

function row(tool: ToolDescriptor, tokens: boolean): string[] {
  const cost = tokens ? [`~${estimateTokens(tool)}`] : [];
  return [tool.name, tool.origin, ...cost, printableLine(tool.description, 80)];
}

/** What a model is charged for a tool: its name, its description and its schema. */
function estimateTokens({ name, description, definition }: ToolDescriptor): number {
  return Math.ceil(
    (name.length + description.length + JSON.stringify(definition.inputSchema).length) / CHARACTERS_PER_TOKEN,
  );
}
