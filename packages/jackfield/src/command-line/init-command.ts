import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { discoverServers, type InlineServer } from "@jackfield/mcp-config";
import { type Logger, McpError, toMcpError } from "@jackfield/mcp-core";
import { openApprovals } from "../approval-store.ts";
import type { CommandResult } from "./command-result.ts";
import { printable } from "./terminal.ts";

const CONFIG_FILE = ".mcp.json";

/** A server that works everywhere and shows something at once: the files of the project's own folder. */
const FIRST_SERVERS: { readonly [name: string]: InlineServer } = {
  files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "."] },
};

export interface InitOptions {
  readonly cwd: string | undefined;
  /** What the file is to hold. Default: one server for the folder's files. */
  readonly servers: { readonly [name: string]: InlineServer };
  /** Replaces a file that is there. */
  readonly force: boolean;
  /** Told of approvals that are not trusted. */
  readonly log: Logger;
  /** Keeps the file from being written. */
  readonly signal: AbortSignal;
}

/**
 * Writes a first `.mcp.json` and shows it. What it has written is approved by that: its user has asked for it and sees it.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if there is one already, or none can be written.
 */
export async function init({ cwd = ".", servers, force, log, signal }: InitOptions): Promise<CommandResult> {
  const folder = resolve(cwd);
  const file = resolve(folder, CONFIG_FILE);
  const mcpServers = Object.keys(servers).length === 0 ? FIRST_SERVERS : servers;
  const content = `${JSON.stringify({ mcpServers }, undefined, 2)}\n`;
  signal.throwIfAborted();
  await write(file, content, force);
  const found = await discoverServers({ cwd: folder });
  const ledger = openApprovals(undefined, log);
  const written = found.servers.filter(({ definedIn }) => definedIn.file === file);
  for (const definition of written) await ledger.approve(definition);
  const names = Object.keys(mcpServers);
  const next = 'Approved, because you have just asked for it. See it work with "jackfield status".';
  return {
    json: { file, servers: names, approved: written.map(({ name }) => name), content: { mcpServers } },
    text: `Wrote ${printable(file)}:\n\n${printable(content)}\n${next}\n`,
    exitCode: 0,
  };
}

async function write(file: string, content: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, content, { flag: force ? "w" : "wx" });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    const message = isThere
      ? `${file} is there already and was left as it is; --force replaces it.`
      : `${file} cannot be written; see who may write there.`;
    const details = { phase: "config", location: { file } } as const;
    if (isThere) throw new McpError("MCP_CONFIG_INVALID", message, details);
    throw toMcpError(error, "MCP_CONFIG_INVALID", message, details);
  }
}
