import { McpError, type ToolDescriptor } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import type { CommandResult } from "./command-result.ts";
import { printableLine } from "./lines.ts";
import { alignColumns } from "./table.ts";
import { estimateTokens } from "./token-estimate.ts";

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
      listed.length === 0
        ? nothingOffered(mcp, server)
        : ({ columns }) =>
            alignColumns(
              listed.map((tool) => row(tool, tokens)),
              { columns },
            ),
    exitCode: 0,
  };
}

function nothingOffered(mcp: Mcp, server: string | undefined): string {
  const asked = mcp.servers().filter(({ name }) => server === undefined || name === server);
  // Some have failed, others wait for approval: what is wrong with each takes more than a line.
  const troubled = asked
    .filter(({ error }) => error !== undefined)
    .map(({ name }) => `"${printableLine(name, 80)}"`);
  if (troubled.length === 0) return "No tool is on offer.\n";
  return `No tool is on offer. "jackfield status" says what is wrong with ${troubled.join(", ")}.\n`;
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
