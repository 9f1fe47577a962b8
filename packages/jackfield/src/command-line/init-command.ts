import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import {
  createServerResolver,
  discoverServers,
  type InlineServer,
  parseHostFile,
} from "@jackfield/mcp-config";
import { isMcpError, type Logger, McpError, type ServerDefinition } from "@jackfield/mcp-core";
import { openApprovals, probeApprovals } from "../approval-store.ts";
import type { CommandResult } from "./command-result.ts";
import { nextCommand } from "./next-command.ts";
import { printable } from "./terminal.ts";
import { writeWholeFile } from "./whole-file.ts";

const CONFIG_FILE = ".mcp.json";

/** A server that works everywhere and shows something at once: the files of the project's own folder. */
const FIRST_SERVERS: { readonly [name: string]: InlineServer } = {
  files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "."] },
};

export interface InitOptions {
  readonly cwd: string | undefined;
  /** The servers to write. Default: one server for the folder's files. */
  readonly servers: { readonly [name: string]: InlineServer };
  /** Replaces an existing file. */
  readonly force: boolean;
  /** Warned of stored approvals that are not trusted, and of variables that the written entries lack. */
  readonly log: Logger;
  /** Cancels before the file is written. */
  readonly signal: AbortSignal;
}

/**
 * Writes a first `.mcp.json` and shows it. The servers that it writes are approved, because the user asked for them and sees them.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if the file exists or an entry is invalid, `MCP_STORAGE_FAILED` if the file or its approval cannot
 * be stored; nothing is written then.
 */
export async function init({ cwd = ".", servers, force, log, signal }: InitOptions): Promise<CommandResult> {
  // The real path, as in discovery: an approval holds for a file, not for a link to it.
  const folder = await realpath(resolve(cwd)).catch(() => resolve(cwd));
  const file = resolve(folder, CONFIG_FILE);
  const mcpServers = Object.keys(servers).length === 0 ? FIRST_SERVERS : servers;
  const content = `${JSON.stringify({ mcpServers }, undefined, 2)}\n`;
  await refuseBroken(file, content);
  await probeApprovals(log);
  signal.throwIfAborted();
  await writeWholeFile(file, content, { replaces: force, cwd: folder });
  const found = await discoverServers({ cwd: folder });
  const ledger = openApprovals(undefined, log);
  const written = found.servers.filter(({ definedIn }) => definedIn.file === file);
  for (const definition of written) await ledger.approve(definition);
  const faults = (
    await Promise.all(written.map((definition) => findFault(definition, folder, signal)))
  ).flat();
  for (const { message } of faults) log("warn", message);
  const names = Object.keys(mcpServers);
  const command = (words: string) => nextCommand(words, { cwd });
  const approved = written.map(({ name }) => name);
  const isApproved = names.every((name) => approved.includes(name));
  const next = isApproved
    ? `Approved, because you asked for it. ${faults.length > 0 ? "It cannot start yet: see the warning." : `Try it with "${command("status")}".`}`
    : `Not all servers are approved; "${command("config list")}" shows why, "${command("approve")}" asks about them.`;
  return {
    json: { file, servers: names, approved, content: { mcpServers } },
    text: `Wrote ${printable(file)}:\n\n${printable(content)}\n${next}\n`,
    exitCode: isApproved ? 0 : 1,
  };
}

/** @throws McpError `MCP_CONFIG_INVALID` if the file would hold an invalid entry */
async function refuseBroken(file: string, text: string): Promise<void> {
  const { diagnostics } = await parseHostFile({ host: "jackfield", file, text });
  const fault = diagnostics.find(({ severity }) => severity === "error");
  if (fault === undefined) return;
  const message = `Nothing was written. ${fault.message}`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config", server: fault.server });
}

/** The missing variable that keeps an entry from starting, if any; no command of it is run. */
async function findFault(
  definition: ServerDefinition,
  cwd: string,
  signal: AbortSignal,
): Promise<readonly McpError[]> {
  try {
    await createServerResolver({ cwd, isAdmitted: () => true })(definition, { signal });
    return [];
  } catch (error) {
    return isMcpError(error, "MCP_CONFIG_VARIABLE_MISSING") ? [error] : [];
  }
}
