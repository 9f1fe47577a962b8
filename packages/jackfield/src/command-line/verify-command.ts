import { resolve } from "node:path";
import { compareWithLock, formatComparison, formatLock, lockOf } from "@jackfield/mcp-guard";
import { readLock } from "../guards.ts";
import type { Mcp } from "../mcp.ts";
import type { CommandResult } from "./command-result.ts";
import { startLazyServers } from "./lazy-servers.ts";
import { counted, printableName } from "./lines.ts";
import { isRead, refuseUnread } from "./lost-configuration.ts";
import { type CommandPlaces, nextCommand } from "./next-command.ts";
import { printable } from "./terminal.ts";
import { writeWholeFile } from "./whole-file.ts";

/** The default lock file. */
const LOCK_FILE = "mcp.lock";

/** The places are for the commands that are advised; the lock file is relative to `cwd`. Default: `mcp.lock`. */
export interface VerifyOptions extends CommandPlaces {
  /** Writes the file instead of comparing with it. */
  readonly write: boolean;
  readonly signal: AbortSignal;
}

/**
 * Compares servers and their tools with the lock file that a project has committed, or writes that file. Fails, and writes nothing, if a
 * server did not come up or a configuration file could not be read.
 *
 * @throws McpError `MCP_CONFIG_NOT_FOUND` without a lock file, `MCP_CONFIG_INVALID` for one that is damaged, or if `write` is set and a
 * link of the project leads out of it or not all of the configuration could be read; `MCP_STORAGE_FAILED` if it cannot be written;
 * `MCP_ABORTED`.
 */
export async function verify(
  mcp: Pick<Mcp, "servers" | "tools" | "reconnect" | "refreshTools" | "report">,
  { write, signal, ...places }: VerifyOptions,
): Promise<CommandResult> {
  const { lock: named = LOCK_FILE, cwd = process.cwd() } = places;
  const file = resolve(cwd, named);
  const writeCommand = nextCommand("verify --write", places);
  if (write) refuseUnread(mcp.report, file);
  const lock = write ? undefined : await readLock(file, writeCommand);
  await startLazyServers(mcp, signal);
  const now = { servers: mcp.servers(), tools: mcp.tools() };
  if (lock === undefined) return writeLock(file, now, { ...places, cwd });
  const comparison = compareWithLock(lock, now);
  const isAllRead = isRead(mcp.report);
  if (comparison.isSame) {
    const text = isAllRead
      ? `Every server matches ${printable(named)}.\n`
      : `Not all of the configuration could be read; the servers of the rest match ${printable(named)}.\n`;
    return { json: comparison, text, exitCode: isAllRead ? 0 : 1 };
  }
  const next = isAllRead
    ? `If you want these changes, accept them with "${writeCommand}".`
    : "Not all of the configuration could be read; correct it first, and compare again.";
  return { json: comparison, text: `${formatComparison(comparison)}\n\n${next}\n`, exitCode: 1 };
}

async function writeLock(
  file: string,
  now: Parameters<typeof lockOf>[0],
  places: CommandPlaces & { readonly cwd: string },
): Promise<CommandResult> {
  const unlisted = now.servers.filter(({ toolsFrom }) => toolsFrom !== "live").map(({ name }) => name);
  if (unlisted.length > 0) {
    const names = unlisted.map((name) => `${printableName(name, 40)}\n`).join("");
    const doctor = nextCommand("doctor", { ...places, lock: undefined });
    const text = `Nothing was written, because these servers have not listed their tools:\n${names}"${doctor}" says why.\n`;
    return { json: { file, written: false, unlisted }, text, exitCode: 1 };
  }
  const lock = lockOf(now);
  await writeWholeFile(file, formatLock(lock), { replaces: true, cwd: places.cwd });
  const servers = [...lock.servers.keys()];
  const tools = [...lock.servers.values()].reduce((count, server) => count + server.tools.size, 0);
  const text = `${printable(file)} holds ${counted(tools, "tool")} of ${counted(servers.length, "server")}. Commit it.\n`;
  return { json: { file, written: true, servers, tools }, text, exitCode: 0 };
}
