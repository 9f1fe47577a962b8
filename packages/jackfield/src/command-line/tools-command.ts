import { McpError, type ServerSnapshot, type ToolDescriptor } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import type { CommandResult } from "./command-result.ts";
import { unknownTools, untilListed } from "./late-servers.ts";
import { printableLine } from "./lines.ts";
import { isFileLost } from "./lost-configuration.ts";
import { type CommandPlaces, nextCommand } from "./next-command.ts";
import { alignColumns } from "./table.ts";
import { estimateTokens } from "./token-estimate.ts";
import { whyUnused } from "./unused-server.ts";

/** The places are for the command that is advised. */
export interface ToolsOptions extends CommandPlaces {
  /** Default: all servers. */
  readonly server: string | undefined;
  readonly tokens: boolean;
  readonly signal: AbortSignal;
}

/**
 * Lists the tools on offer, once every server has either listed its tools or failed, and says which servers' tools are not known. Exits
 * with 1 if the named server has failed, or a file could not be read at all.
 *
 * @throws McpError `MCP_SERVER_UNKNOWN`, and the signal's reason
 */
export async function tools(
  mcp: Mcp,
  { server, tokens, signal, ...places }: ToolsOptions,
): Promise<CommandResult> {
  const statusCommand = nextCommand("status", places);
  if (server !== undefined && !mcp.servers().some(({ name }) => name === server)) {
    const unused = mcp.report.blocked.find(({ name }) => name === server);
    const message = unused
      ? whyUnused(unused, places)
      : `No server is called "${server}"; "${statusCommand}" lists them.`;
    throw new McpError("MCP_SERVER_UNKNOWN", message, { server });
  }
  const isAsked = ({ name }: ServerSnapshot) => server === undefined || name === server;
  await untilListed(mcp, { isWanted: isAsked, signal });
  const asked = mcp.servers().filter(isAsked);
  const isMissing = server !== undefined && asked.some(hasFailed);
  const listed = mcp.tools().filter((tool) => server === undefined || tool.server === server);
  return {
    json: listed.map((tool) => asJson(tool, tokens)),
    text:
      listed.length === 0
        ? nothingOffered(asked, statusCommand)
        : ({ columns }) =>
            alignColumns(
              listed.map((tool) => row(tool, tokens)),
              { columns },
            ),
    remarks: asked.flatMap((one) => unknownTools(one) ?? []),
    exitCode: isMissing || isFileLost(mcp.report) ? 1 : 0,
  };
}

/** Whether a server failed and none of its tools are known, not even from the catalog. */
function hasFailed({ toolsFrom, error }: ServerSnapshot): boolean {
  return toolsFrom === "none" && error !== undefined;
}

function nothingOffered(asked: readonly ServerSnapshot[], statusCommand: string): string {
  // Some have failed, others wait for approval: what is wrong with each takes more than a line.
  const troubled = asked
    .filter(({ error }) => error !== undefined)
    .map(({ name }) => `"${printableLine(name, 80)}"`);
  if (troubled.length === 0) return "No tool is available.\n";
  return `No tool is available. "${statusCommand}" shows what is wrong with ${troubled.join(", ")}.\n`;
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
