import type { Readable } from "node:stream";
import {
  type ApprovalLedger,
  approvalRequest,
  approvalText,
  createServerAdmission,
  type DiscoveredServers,
  type DiscoverServersOptions,
  discoverServers,
} from "@jackfield/mcp-config";
import { type Logger, McpError, type ServerDefinition } from "@jackfield/mcp-core";
import { openApprovals } from "../approval-store.ts";
import { askForApproval } from "./approval-question.ts";
import type { CommandResult } from "./command-result.ts";
import { counted, placeOf, printableName, withLines } from "./lines.ts";
import { lostFile } from "./lost-configuration.ts";
import { type CommandPlaces, nextCommand } from "./next-command.ts";
import { alignColumns } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export interface ApproveOptions
  extends Pick<DiscoverServersOptions, "cwd" | "files" | "servers" | "hosts" | "maxFileBytes"> {
  /** The server; `undefined` for every one that waits. */
  readonly name: string | undefined;
  /** Approves the named server without asking. */
  readonly yes: boolean;
  /** Warned of stored approvals that are not trusted. */
  readonly log: Logger;
  readonly terminal: Terminal;
  /** Where answers come from; nothing is asked if it is no terminal. */
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly signal: AbortSignal;
}

interface Decisions {
  readonly approved: ServerDefinition[];
  readonly waiting: ServerDefinition[];
}

/**
 * Shows each unapproved server of a project, whole, and asks about it. What was shown is approved, even if the file has changed since.
 * Exits with 1 if a wanted server still waits, or a file could not be read at all.
 *
 * @throws McpError `MCP_SERVER_UNKNOWN` for a name that no entry has, `MCP_CONFIG_INVALID` for an invalid entry of that name and for `yes`
 * without a name, `MCP_STORAGE_FAILED` if an approval cannot be stored, `MCP_ABORTED` for Ctrl+C.
 */
export async function approve(
  options: ApproveOptions,
): Promise<CommandResult & { readonly found: DiscoveredServers }> {
  const { name, yes, cwd, files, servers, hosts, maxFileBytes } = options;
  if (yes && name === undefined) {
    const message = `"approve --yes" needs the name of a server; it cannot approve all servers at once.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "approve" });
  }
  const places = { configFiles: files, cwd, hosts, servers };
  const ledger = openApprovals(undefined, options.log);
  const { admit } = createServerAdmission({ ledger });
  const found = await discoverServers({ cwd, files, servers, hosts, maxFileBytes, admit });
  const waiting = found.blocked.filter(({ by }) => by === "approval").map(({ definition }) => definition);
  const wanted = waiting.filter((definition) => name === undefined || definition.name === name);
  if (name !== undefined && wanted.length === 0) refuseUnknown(name, found, places);
  const decisions = await decide(wanted, ledger, options);
  return { found, ...(await resultOf(decisions, lostFile(found), places)) };
}

/** Refuses a name that no usable entry has. A server that needs no approval, or has it, is no error. */
function refuseUnknown(
  name: string,
  { servers, blocked, problems }: DiscoveredServers,
  places: CommandPlaces,
): void {
  const known = [...servers, ...blocked.map(({ definition }) => definition)];
  if (known.some((definition) => definition.name === name)) return;
  const invalid = problems.find(({ server }) => server === name);
  if (invalid !== undefined) throw invalid.error;
  const message = `No entry is called ${JSON.stringify(name)}; "${nextCommand("approve", places)}" shows the unapproved servers, "${nextCommand("config list", places)}" all of them.`;
  throw new McpError("MCP_SERVER_UNKNOWN", message, { server: name, phase: "approve" });
}

async function decide(
  wanted: readonly ServerDefinition[],
  ledger: Pick<ApprovalLedger, "approve">,
  { yes, terminal, stdin, signal }: ApproveOptions,
): Promise<Decisions> {
  const decisions: Decisions = { approved: [], waiting: [] };
  const canAsk = stdin.isTTY === true && !yes;
  const asking = { input: stdin, output: terminal.stderr, signal };
  for (const [index, definition] of wanted.entries()) {
    const place = { number: index + 1, of: wanted.length };
    const request = approvalRequest(definition);
    if (!canAsk) {
      const text = approvalText(request, terminal.stderr.columns || undefined);
      terminal.stderr.write(`${text}\n\n`);
    }
    if (yes || (canAsk && (await askForApproval(request, { ...asking, place })))) {
      await ledger.approve(definition);
      decisions.approved.push(definition);
    } else decisions.waiting.push(definition);
  }
  return decisions;
}

async function resultOf(
  decisions: Decisions,
  error: McpError | undefined,
  places: CommandPlaces,
): Promise<CommandResult> {
  const approved = await withLines(decisions.approved);
  const waiting = await withLines(decisions.waiting);
  const shown = ({ name, transport, definedIn }: ServerDefinition) => ({ name, transport, definedIn });
  const rows = [
    ...approved.map((definition) => rowOf(definition, "approved")),
    ...waiting.map((definition) => rowOf(definition, "not approved")),
  ];
  const advice =
    waiting.length === 0
      ? ""
      : `Approve one with "${nextCommand("approve NAME", places)}" in a terminal, or with "--yes".\n`;
  const closing = `${counted(approved.length, "server")} approved, ${waiting.length} not.`;
  return {
    json: { approved: approved.map(shown), waiting: waiting.map(shown) },
    text: ({ columns }) =>
      rows.length === 0
        ? "No server is waiting for approval.\n"
        : `${alignColumns(rows, { columns, keepsEnd: [2] })}\n${closing}\n${advice}`,
    error,
    exitCode: waiting.length === 0 && error === undefined ? 0 : 1,
  };
}

function rowOf({ name, definedIn }: ServerDefinition, state: string): readonly string[] {
  return [printableName(name), state, placeOf(definedIn)];
}
