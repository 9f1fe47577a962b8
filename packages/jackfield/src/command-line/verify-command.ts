import { resolve } from "node:path";
import { compareWithLock, formatComparison, formatLock, lockOf } from "@jackfield/mcp-guard";
import { readLock } from "../guards.ts";
import type { Mcp } from "../mcp.ts";
import type { CommandResult } from "./command-result.ts";
import { startLazyServers } from "./lazy-servers.ts";
import { printableLine } from "./lines.ts";
import { isRead, refuseUnread } from "./lost-configuration.ts";
import { printable } from "./terminal.ts";
import { writeWholeFile } from "./whole-file.ts";

/** The default lock file. */
const LOCK_FILE = "mcp.lock";

export interface VerifyOptions {
  /** The lock file, relative to `cwd`. Default: `mcp.lock`. */
  readonly lock: string | undefined;
  /** Writes the file instead of comparing with it. */
  readonly write: boolean;
  readonly cwd: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Compares servers and their tools with the lock file that a project has committed, or writes that file. Fails, and writes nothing, if a
 * server did not come up or a configuration file could not be read.
 *
 * @throws McpError `MCP_CONFIG_NOT_FOUND` without a lock file, `MCP_CONFIG_INVALID` for one that is damaged or cannot be written, or if
 * `write` is set and not all of the configuration could be read; `MCP_ABORTED`.
 */
export async function verify(
  mcp: Pick<Mcp, "servers" | "tools" | "reconnect" | "refreshTools" | "report">,
  { lock: named = LOCK_FILE, write, cwd = process.cwd(), signal }: VerifyOptions,
): Promise<CommandResult> {
  const file = resolve(cwd, named);
  if (write) refuseUnread(mcp.report, file);
  const lock = write ? undefined : await readLock(file);
  await startLazyServers(mcp, signal);
  const now = { servers: mcp.servers(), tools: mcp.tools() };
  if (lock === undefined) return writeLock(file, cwd, now);
  const comparison = compareWithLock(lock, now);
  const isAllRead = isRead(mcp.report);
  if (comparison.isSame) {
    const text = isAllRead
      ? `Every server matches ${printable(named)}.\n`
      : `Not all of the configuration could be read; the servers of the rest match ${printable(named)}.\n`;
    return { json: comparison, text, exitCode: isAllRead ? 0 : 1 };
  }
  const next = isAllRead
    ? 'If you want these changes, accept them with "jackfield verify --write".'
    : "Not all of the configuration could be read; correct it first, and compare again.";
  return { json: comparison, text: `${formatComparison(comparison)}\n\n${next}\n`, exitCode: 1 };
}

async function writeLock(
  file: string,
  cwd: string,
  now: Parameters<typeof lockOf>[0],
): Promise<CommandResult> {
  const unlisted = now.servers.filter(({ toolsFrom }) => toolsFrom !== "live").map(({ name }) => name);
  if (unlisted.length > 0) {
    const names = unlisted.map((name) => `${printableLine(name, 40)}\n`).join("");
    const text = `Nothing was written, because these servers have not listed their tools:\n${names}`;
    return { json: { file, written: false, unlisted }, text, exitCode: 1 };
  }
  const lock = lockOf(now);
  await writeWholeFile(file, formatLock(lock), { replaces: true, cwd });
  const servers = [...lock.servers.keys()];
  const tools = [...lock.servers.values()].reduce((count, server) => count + server.tools.size, 0);
  const text = `${printable(file)} holds ${tools} tools of ${servers.length} servers. Commit it.\n`;
  return { json: { file, written: true, servers, tools }, text, exitCode: 0 };
}
