import { McpError, type ServerSnapshot, type ToolDescriptor } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import { unknownTools } from "./late-servers.ts";
import { type FailedStart, startLazyServers } from "./lazy-servers.ts";
import { type CommandPlaces, nextCommand } from "./next-command.ts";
import { whyUnused } from "./unused-server.ts";
import { didYouMean } from "./wrong-usage.ts";

/** A tool that was found, and the words behind its name. */
export interface FoundTool {
  readonly tool: ToolDescriptor;
  readonly words: readonly string[];
}

export interface FindToolOptions {
  /** The words behind the name: the first of them is the tool's, if the name is a server's. */
  readonly words?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number | undefined;
  /** The options of this command, for the command that is advised. */
  readonly places?: CommandPlaces | undefined;
}

/**
 * Finds a tool by `server.tool`, `server/tool`, its exposed name, or its own name if only one server has it. The catalog answers if it can.
 * Else only servers that may have the tool are started: the one that is named, or all of which nothing is known, of which the first that
 * has it ends the waiting.
 *
 * @throws McpError `MCP_TOOL_UNKNOWN`, which names similar tools, why a server that is named did not start, and the signal's reason
 */
export async function findTool(mcp: Mcp, name: string, options: FindToolOptions): Promise<FoundTool> {
  const { words = [], signal, timeoutMs, places = {} } = options;
  const readings = readingsOf(mcp, name, words);
  const look = () => readings.map((reading) => toolsOf(mcp, reading)).find((found) => found.length > 0) ?? [];
  const isFound = () => look().length === 1;
  const named = new Set(readings.flatMap(({ server }) => server ?? []));
  const mayHaveIt = ({ name: server }: ServerSnapshot) =>
    named.size === 0 ? !isExposed(name) || mayNameToolOf(server, name) : named.has(server);
  const failed: FailedStart[] = [];
  // Servers of which nothing is known come first; the others may have other tools by now than the catalog knows.
  for (const isNext of [({ toolsFrom }: ServerSnapshot) => toolsFrom === "none", () => true]) {
    if (look().length > 0) break;
    const isWanted = (server: ServerSnapshot) => mayHaveIt(server) && isNext(server);
    failed.push(...(await startLazyServers(mcp, signal, { isWanted, isEnough: isFound, timeoutMs })));
  }
  const found = look();
  if (found.length === 1 && found[0] !== undefined) return found[0];
  throw await unknownTool(mcp, name, { readings, failed, places, several: found });
}

/** What a name may mean. */
interface Reading {
  /** Missing for a name that may be any server's. */
  readonly server?: string | undefined;
  readonly tool: string;
  readonly words: readonly string[];
}

/** The server may have dots itself, and the tool may be the next word. */
function readingsOf(mcp: Mcp, name: string, words: readonly string[]): readonly Reading[] {
  const [second, ...rest] = words;
  const ofServers = serverNames(mcp).flatMap((server): readonly Reading[] => {
    if (name === server && second !== undefined) return [{ server, tool: second, words: rest }];
    const isNamed = name.startsWith(server) && /^[./:]/.test(name.slice(server.length));
    return isNamed ? [{ server, tool: name.slice(server.length + 1), words }] : [];
  });
  // A single server, as of an address or a command, need not be named.
  return [...ofServers, { tool: name, words }];
}

function toolsOf(mcp: Mcp, { server, tool: name, words }: Reading): readonly FoundTool[] {
  const own = mcp.tools().filter((tool) => server === undefined || tool.server === server);
  const exposed = own.filter((tool) => tool.name === name);
  const found = exposed.length > 0 ? exposed : own.filter((tool) => tool.originalName === name);
  return found.map((tool) => ({ tool, words }));
}

/** The names of all servers: those in use, the longest first, and those that are not. */
export function serverNames(mcp: Pick<Mcp, "servers" | "report">): readonly string[] {
  const names = [...mcp.servers(), ...mcp.report.blocked].map(({ name }) => name);
  return [...new Set(names)].sort((a, b) => b.length - a.length);
}

interface Search {
  readonly readings: readonly Reading[];
  readonly failed: readonly FailedStart[];
  readonly places: CommandPlaces;
  readonly several: readonly FoundTool[];
}

async function unknownTool(
  mcp: Mcp,
  name: string,
  { readings, failed, places, several }: Search,
): Promise<McpError> {
  const refusal = (message: string, server?: string) =>
    new McpError("MCP_TOOL_UNKNOWN", message, { tool: name, server, outcome: "not-sent" });
  const shown = JSON.stringify(name);
  if (several.length > 0) {
    const names = several.map(({ tool }) => callName(tool)).join(", ");
    return refusal(`No tool is called ${shown}; several servers have one: ${names}.`);
  }
  const named = readings.find(({ server }) => server !== undefined)?.server;
  const exposedOf = ({ name: server }: { readonly name: string }) =>
    named === undefined ? mayNameToolOf(server, name) : server === named;
  // Why the server that was named has no tools says more than that the tool is unknown.
  const failure = failed.find(exposedOf);
  const unused = mcp.report.blocked.filter(exposedOf);
  const { waiting = [], other = [] } = Object.groupBy(unused, ({ by }) =>
    by === "approval" ? "waiting" : "other",
  );
  // The text ends with a command to copy, so it names at most one server that waits for approval.
  const reasons = await Promise.all(
    [...other, ...waiting.slice(0, 1)].map((server) => whyUnused(server, places)),
  );
  const troubled = mcp
    .servers()
    .filter(exposedOf)
    .flatMap((server) => unknownTools(server) ?? []);
  const told = [...new Set([...(failure ? [unknownBecause(failure)] : troubled), ...reasons])];
  const tools = mcp.tools().filter(({ server }) => named === undefined || server === named);
  const meant = didYouMean(
    name,
    tools.flatMap((tool) => (isExposed(name) ? [tool.name] : [callName(tool), tool.originalName])),
  );
  const list = nextCommand(named === undefined ? "tools" : `tools ${named}`, places);
  const hint = meant === undefined ? `"${list}" lists the available tools.` : meant;
  const others = named === undefined && !isExposed(name) ? otherServers(mcp) : [];
  return refusal(
    [`No tool is called ${shown}; ${hint}`, ...told, ...others].join(" "),
    named ?? failure?.name,
  );
}

function unknownBecause({ name, error }: FailedStart): string {
  return `The tools of server ${JSON.stringify(name)} are not known: ${error.message}`;
}

/** How many servers could have had the tool, which do not count as the answer. */
function otherServers(mcp: Mcp): readonly string[] {
  const unknown = mcp.servers().filter(({ toolsFrom }) => toolsFrom === "none");
  if (unknown.length === 0) return [];
  const names = unknown.slice(0, 5).map(({ name }) => JSON.stringify(name));
  const more = unknown.length > names.length ? ` and ${unknown.length - names.length} more` : "";
  return [`The tools of ${names.join(", ")}${more} are not known; "jackfield status" says why.`];
}

/** Whether a name has the form of an exposed name, which includes the server. */
function isExposed(name: string): boolean {
  return name.startsWith("mcp__");
}

/** The name by which a tool is called on the command line. */
export function callName({ server, originalName }: Pick<ToolDescriptor, "server" | "originalName">): string {
  return `${server}.${originalName}`;
}

/**
 * Whether the manager could give this exposed name to a tool of the server. For a server that is not in use this is a guess: a server part
 * that is too long, or taken by another server, ends with a hash.
 */
export function mayNameToolOf(server: string, name: string): boolean {
  const safe = server.replace(/[^A-Za-z0-9_-]/g, "_").replace(/_{2,}/g, "_");
  const part = safe.replace(/^_+|_+$/g, "") || "server";
  if (name.startsWith(`mcp__${part}__`)) return true;
  const hashed = `mcp__${part.slice(0, 23).replace(/[_-]+$/, "")}`;
  return name.startsWith(hashed) && /^_[0-9a-f]{8}__/.test(name.slice(hashed.length));
}
