import { estimateTokens, McpError, type ServerSnapshot, type ToolDescriptor } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import type { CommandResult } from "./command-result.ts";
import { unknownTools, untilListed } from "./late-servers.ts";
import { startLazyServers } from "./lazy-servers.ts";
import { counted, printableLine, printableName } from "./lines.ts";
import { lostFile } from "./lost-configuration.ts";
import { type CommandPlaces, nextCommand } from "./next-command.ts";
import type { Page } from "./page.ts";
import { troubleOf } from "./server-words.ts";
import { serverNames } from "./tool-reference.ts";
import { shownDescription, signatureLines, toolAsJson } from "./tool-signature.ts";
import { whyUnused } from "./unused-server.ts";
import { didYouMean } from "./wrong-usage.ts";

/** The places are for the command that is advised. */
export interface ToolsOptions extends CommandPlaces {
  /** Default: all servers. */
  readonly server: string | undefined;
  readonly tokens: boolean;
  /** Only tools that this means, best first. Default: all, by name. */
  readonly search?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Lists the tools on offer. Of all servers: once every one has either listed its tools or failed, and with a remark on those that have
 * failed. Of one server: from the catalog if it knows them lately, else after starting that server alone.
 *
 * Exits with 1 if the named server has failed, or without a name if a file could not be read at all.
 *
 * @throws McpError `MCP_SERVER_UNKNOWN`, and the signal's reason
 */
export async function tools(mcp: Mcp, options: ToolsOptions): Promise<CommandResult> {
  const { server, tokens, search, signal, timeoutMs, ...places } = options;
  const isAsked = ({ name }: ServerSnapshot) => server === undefined || name === server;
  if (server === undefined) await untilListed(mcp, { signal });
  else {
    await refuseUnknownServer(mcp, server, places);
    const isWanted = (one: ServerSnapshot) => isAsked(one) && ["none", "stale"].includes(one.toolsFrom);
    await startLazyServers(mcp, signal, { isWanted, timeoutMs });
  }
  const asked = mcp.servers().filter(isAsked);
  const listed =
    search === undefined
      ? mcp.tools().filter((tool) => server === undefined || tool.server === server)
      : mcp.searchTools(search, { servers: server === undefined ? undefined : [server] });
  const none = search === undefined ? "No tool is available." : `No tool fits ${JSON.stringify(search)}.`;
  const remarks = remarksOn(asked, server !== undefined, nextCommand("status", places));
  const missing = server === undefined ? undefined : asked.find(hasFailed)?.error;
  const error =
    missing === undefined
      ? server === undefined
        ? lostFile(mcp.report)
        : undefined
      : new McpError(missing.code, missing.message, { server, stderr: missing.stderr });
  return {
    json: { tools: listed.map((tool) => asJson(tool, tokens)) },
    text: (page) =>
      listed.length === 0
        ? `${printableLine(none, 200)}\n`
        : textOf(listed, page, tokens, server !== undefined),
    remarks,
    error,
    exitCode: error === undefined ? 0 : 1,
  };
}

/** @throws McpError `MCP_SERVER_UNKNOWN` with the reason why a server of that name is not used, or with similar names */
export async function refuseUnknownServer(
  mcp: Pick<Mcp, "servers" | "report">,
  server: string,
  places: CommandPlaces,
): Promise<void> {
  if (mcp.servers().some(({ name }) => name === server)) return;
  const unused = mcp.report.blocked.find(({ name }) => name === server);
  const hint = didYouMean(server, serverNames(mcp)) ?? `"${nextCommand("status", places)}" lists them.`;
  const message = unused
    ? await whyUnused(unused, places)
    : `No server is called ${JSON.stringify(server)}; ${hint}`;
  throw new McpError("MCP_SERVER_UNKNOWN", message, { server });
}

/** Whether a server failed and none of its tools are known, not even from the catalog. */
function hasFailed({ toolsFrom, error }: ServerSnapshot): boolean {
  return toolsFrom === "none" && error !== undefined;
}

/** What is missing: in full if it is one server or was asked for, else a few words for each, and where to read more. */
function remarksOn(
  asked: readonly ServerSnapshot[],
  isNamed: boolean,
  statusCommand: string,
): readonly string[] {
  const troubled = asked.filter((server) => unknownTools(server) !== undefined);
  if (isNamed || troubled.length < 2) return troubled.flatMap((server) => unknownTools(server) ?? []);
  const list = troubled.map((server) => `${printableName(server.name, 40)} (${troubleOf(server)})`);
  return [
    `The tools of ${counted(troubled.length, "server")} are not known: ${list.join(", ")}. "${statusCommand}" says why.`,
  ];
}

function asJson(tool: ToolDescriptor, tokens: boolean) {
  return tokens ? { ...toolAsJson(tool), tokens: estimateTokens(tool) } : toolAsJson(tool);
}

function textOf(listed: readonly ToolDescriptor[], page: Page, tokens: boolean, isWhole: boolean): string {
  return listed
    .map((tool) => {
      const head = signatureLines(tool, page, tokens ? [`~${estimateTokens(tool)} tokens`] : []);
      const lines = shownDescription(tool, page, isWhole).map((line) => `    ${line}\n`);
      return head + lines.join("");
    })
    .join("");
}
