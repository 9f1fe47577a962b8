import { resolve } from "node:path";
import type { Connector, ServerSnapshot, ToolCache } from "@jackfield/mcp-core";
import { sqliteToolCache } from "@jackfield/mcp-tool-cache";
import { approveCommand } from "../blocked-servers.ts";
import type { McpReport } from "../mcp.ts";
import { openMcp } from "../open-mcp.ts";
import type { OpenMcpOptions } from "../open-mcp-options.ts";
import { catalogPlace } from "./cache-command.ts";
import type { CommandResult } from "./command-result.ts";
import { isWaitingForCall } from "./lazy-servers.ts";
import { counted, printableName } from "./lines.ts";
import { refuseUnread } from "./lost-configuration.ts";
import { type CommandPlaces, nextCommand } from "./next-command.ts";
import { printable } from "./terminal.ts";
import { declareTools } from "./tool-declarations.ts";
import { writeWholeFile } from "./whole-file.ts";

/** The default output file. */
const DECLARATION_FILE = "mcp-tools.d.ts";

/** The places are for the commands that are advised. */
export interface TypesOptions extends Omit<CommandPlaces, "cwd" | "lock"> {
  /** The file, relative to the `cwd` of `runtime`. Default: `mcp-tools.d.ts`. */
  readonly out: string | undefined;
  /** The catalog's directory, relative to the same. */
  readonly cache: string | undefined;
  /** Options that say which servers there are. */
  readonly runtime: Omit<OpenMcpOptions, "cache">;
  /** Prints what is wrong with the configuration. */
  readonly tellProblems: (report: McpReport) => void;
}

/**
 * Writes the tools' input and output types as TypeScript, from the catalog alone: no server is started, and the catalog does not change.
 * Exits with 1 if the catalog does not know the tools of a server, which are then missing from the file.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if the file cannot be written, `MCP_CONFIG_INVALID` if a link of the project leads out of it or
 * not all of the configuration could be read
 */
export async function types({
  out = DECLARATION_FILE,
  runtime,
  tellProblems,
  ...places
}: TypesOptions): Promise<CommandResult> {
  const { cwd = ".", log: logger } = runtime;
  const { cache, hosts } = places;
  const file = resolve(cwd, out);
  const path = cache === undefined ? undefined : resolve(cwd, cache);
  const catalog = sqliteToolCache({ path, log: logger || undefined });
  const mcp = await openMcp({
    ...runtime,
    log: logger || false,
    cache: readOnly(catalog),
    connect: connectNever,
    startup: { gateMs: 0, uncached: "later" },
  });
  try {
    tellProblems(mcp.report);
    refuseUnread(mcp.report, file);
    const tools = mcp.tools();
    const unknown = mcp.servers().filter(({ toolsFrom }) => toolsFrom === "none");
    await writeWholeFile(file, declareTools(tools), { replaces: true, cwd });
    const missing = unknown.map(({ name }) => name);
    const approve = approveCommand(
      mcp.report.blocked.filter(({ by }) => by === "approval"),
      { hosts, cwd },
    );
    const isKept = catalogPlace(cache, cwd) !== undefined;
    return {
      json: { file, tools: tools.length, missing },
      text: `${printable(file)} describes ${counted(tools.length, "tool")}.\n${adviseOn(unknown, { ...places, cwd }, { approve, isKept })}`,
      exitCode: missing.length === 0 ? 0 : 1,
    };
  } finally {
    await mcp.close();
    await catalog.close();
  }
}

/** How to make the tools of the missing servers known. */
function adviseOn(
  unknown: readonly ServerSnapshot[],
  places: CommandPlaces,
  { approve, isKept }: { readonly approve: string; readonly isKept: boolean },
): string {
  const { waiting = [], invalid = [], lazy = [], other = [] } = Object.groupBy(unknown, reasonOf);
  const notKnown = "The catalog does not contain the tools of these servers";
  // Without a folder, the catalog is lost when a command ends.
  const keep = isKept ? "" : "set JACKFIELD_HOME to a folder for it, then ";
  return [
    listed(waiting, `These servers are not approved, so they are not started; review them with: ${approve}`),
    listed(invalid, `Correct these entries, which are invalid; "${nextCommand("status", places)}" says why:`),
    listed(
      lazy,
      `${notKnown}, which start at their first call; ${keep}run "${nextCommand("doctor", places)}", which starts them:`,
    ),
    listed(other, `${notKnown}; ${keep}run "${nextCommand("status", places)}"${isKept ? " first" : ""}:`),
  ].join("");
}

/** Why the catalog does not have the tools of a server. */
function reasonOf(server: ServerSnapshot): "waiting" | "invalid" | "lazy" | "other" {
  if (server.error?.code === "MCP_APPROVAL_REQUIRED") return "waiting";
  if (server.error?.code === "MCP_CONFIG_INVALID") return "invalid";
  return isWaitingForCall(server) ? "lazy" : "other";
}

function listed(servers: readonly ServerSnapshot[], head: string): string {
  if (servers.length === 0) return "";
  return `${head}\n${servers.map(({ name }) => `${printableName(name, 40)}\n`).join("")}`;
}

/** Waits until it is cancelled, so that every server stays as the catalog knows it. */
const connectNever: Connector = (_server, { signal }) =>
  new Promise((_resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });

/** The catalog without writes: a run that connects no server must not change it. */
function readOnly(catalog: ToolCache): ToolCache {
  const nothing = async () => {};
  return {
    identify: (server, principal) => catalog.identify(server, principal),
    getMany: (ids) => catalog.getMany(ids),
    list: () => catalog.list(),
    set: nothing,
    markStale: nothing,
    delete: nothing,
    close: nothing,
  };
}
