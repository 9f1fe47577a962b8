import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { toMcpError } from "@jackfield/mcp-core";
import { compareWithLock, formatComparison, formatLock, lockOf } from "@jackfield/mcp-guard";
import { readLock } from "../guards.ts";
import type { Mcp } from "../mcp.ts";
import type { CommandResult } from "./command-result.ts";
import { printableLine } from "./lines.ts";
import { printable } from "./terminal.ts";

/** Where a lock is, unless another place is named. */
const LOCK_FILE = "mcp.lock";

export interface VerifyOptions {
  /** The lock file, relative to `cwd`. Default: `mcp.lock`. */
  readonly lock: string | undefined;
  /** Makes the file anew instead of comparing with it. */
  readonly write: boolean;
  readonly cwd: string | undefined;
}

/**
 * Compares what servers are and offer with what a project has committed; or writes down what to commit. A server that did not
 * come up could not be compared, which is a failure; nor is a file written without it.
 *
 * @throws McpError `MCP_CONFIG_NOT_FOUND` without a lock file, `MCP_CONFIG_INVALID` for one that is damaged or cannot be written.
 */
export async function verify(
  mcp: Pick<Mcp, "servers" | "tools">,
  { lock: named = LOCK_FILE, write, cwd = process.cwd() }: VerifyOptions,
): Promise<CommandResult> {
  const file = resolve(cwd, named);
  const now = { servers: mcp.servers(), tools: mcp.tools() };
  if (write) return writeLock(file, now);
  const comparison = compareWithLock(await readLock(file), now);
  if (comparison.isSame) {
    const text = `Every server is as ${printable(named)} has it.\n`;
    return { json: comparison, text, exitCode: 0 };
  }
  const next = 'Accept what is different with "jackfield verify --write", if it is what you want.';
  return { json: comparison, text: `${formatComparison(comparison)}\n\n${next}\n`, exitCode: 1 };
}

async function writeLock(file: string, now: Parameters<typeof lockOf>[0]): Promise<CommandResult> {
  const unlisted = now.servers.filter(({ toolsFrom }) => toolsFrom !== "live").map(({ name }) => name);
  if (unlisted.length > 0) {
    const names = unlisted.map((name) => `${printableLine(name, 40)}\n`).join("");
    const text = `Nothing was written, because these servers have not listed their tools:\n${names}`;
    return { json: { file, written: false, unlisted }, text, exitCode: 1 };
  }
  const lock = lockOf(now);
  await writeFile(file, formatLock(lock)).catch((error: unknown) => {
    const message = `The lock file ${file} cannot be written; see who may write there.`;
    throw toMcpError(error, "MCP_CONFIG_INVALID", message, { phase: "config", location: { file } });
  });
  const servers = [...lock.servers.keys()];
  const tools = [...lock.servers.values()].reduce((count, server) => count + server.tools.size, 0);
  const text = `${printable(file)} holds ${tools} tools of ${servers.length} servers. Commit it.\n`;
  return { json: { file, written: true, servers, tools }, text, exitCode: 0 };
}
