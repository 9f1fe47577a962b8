import type { Readable } from "node:stream";
import {
  type ApprovalLedger,
  approvalRequest,
  createServerAdmission,
  type DiscoveredServers,
  type DiscoverServersOptions,
  discoverServers,
} from "@jackfield/mcp-config";
import { type Logger, McpError, type ServerDefinition } from "@jackfield/mcp-core";
import { openApprovals } from "../approval-store.ts";
import { askForApproval } from "./approval-question.ts";
import type { CommandResult } from "./command-result.ts";
import { printableLine, printableName } from "./lines.ts";
import { isFileLost } from "./lost-configuration.ts";
import { alignColumns } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export interface ApproveOptions extends Pick<DiscoverServersOptions, "cwd" | "files" | "servers" | "hosts"> {
  /** Which server; without a name, every one that waits. */
  readonly name: string | undefined;
  /** Approves without asking what is named. */
  readonly yes: boolean;
  /** Told of approvals that are not trusted. */
  readonly log: Logger;
  readonly terminal: Terminal;
  /** Who answers. Nobody can where it is no terminal. */
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly signal: AbortSignal;
}

interface Decisions {
  readonly approved: ServerDefinition[];
  readonly waiting: ServerDefinition[];
}

/**
 * Shows what a project brings and nobody has approved, whole, and asks about each. Approved is what was shown, whatever the file
 * says by then. Exits with 1 if something that was asked for still waits, or a file was lost as a whole.
 *
 * @throws McpError `MCP_SERVER_UNKNOWN` for a name that no entry has, `MCP_CONFIG_INVALID` if everything is to be approved unseen,
 * `MCP_ABORTED` for Ctrl+C.
 */
export async function approve(
  options: ApproveOptions,
): Promise<CommandResult & { readonly found: DiscoveredServers }> {
  const { name, yes, cwd, files, servers, hosts } = options;
  if (yes && name === undefined) {
    const message = `"approve --yes" needs the name of a server; nothing is approved unseen and all at once.`;
    throw new McpError("MCP_CONFIG_INVALID", message, { phase: "approve" });
  }
  const ledger = openApprovals(undefined, options.log);
  const { admit } = createServerAdmission({ ledger });
  const found = await discoverServers({ cwd, files, servers, hosts, admit });
  const waiting = found.blocked.filter(({ by }) => by === "approval").map(({ definition }) => definition);
  const wanted = waiting.filter((definition) => name === undefined || definition.name === name);
  if (name !== undefined && wanted.length === 0) refuseUnknown(name, found);
  const decisions = await decide(wanted, ledger, options);
  return { found, ...resultOf(decisions, isFileLost(found)) };
}

/** A server that needs no approval, or has it, is no mistake; one that nobody has heard of is. */
function refuseUnknown(name: string, { servers, blocked }: DiscoveredServers): void {
  const known = [...servers, ...blocked.map(({ definition }) => definition)];
  if (known.some((definition) => definition.name === name)) return;
  const message = `No entry is called ${JSON.stringify(name)}; "jackfield approve" shows what waits, "jackfield config list" what there is.`;
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
  for (const definition of wanted) {
    const request = approvalRequest(definition);
    if (!canAsk) terminal.stderr.write(`${request.text}\n\n`);
    if (yes || (canAsk && (await askForApproval(request, asking)))) {
      await ledger.approve(definition);
      decisions.approved.push(definition);
    } else decisions.waiting.push(definition);
  }
  return decisions;
}

function resultOf({ approved, waiting }: Decisions, isLost: boolean): CommandResult {
  const shown = ({ name, transport, definedIn }: ServerDefinition) => ({ name, transport, definedIn });
  const rows = [
    ...approved.map((definition) => rowOf(definition, "approved")),
    ...waiting.map((definition) => rowOf(definition, "not approved")),
  ];
  const advice =
    waiting.length === 0 ? "" : 'Approve one with "jackfield approve NAME" in a terminal, or with "--yes".\n';
  return {
    json: { approved: approved.map(shown), waiting: waiting.map(shown) },
    text: ({ columns }) =>
      rows.length === 0
        ? "Nothing waits for approval.\n"
        : alignColumns(rows, { columns, keepsEnd: [2] }) + advice,
    exitCode: waiting.length === 0 && !isLost ? 0 : 1,
  };
}

function rowOf({ name, definedIn: { file, line } }: ServerDefinition, state: string): readonly string[] {
  return [printableName(name), state, printableLine(`${file}:${line ?? 1}`, 500)];
}
