import { resolve } from "node:path";
import {
  type CatalogId,
  type CatalogSummary,
  type Logger,
  McpError,
  type ToolCache,
} from "@jackfield/mcp-core";
import { fileSystem } from "@jackfield/mcp-core/node";
import { defaultCacheDirectory, sqliteToolCache } from "@jackfield/mcp-tool-cache";
import { hearFaults } from "./catalog-faults.ts";
import type { CommandResult } from "./command-result.ts";
import { printableName } from "./lines.ts";
import { nextCommand } from "./next-command.ts";
import type { Page } from "./page.ts";
import { alignColumns, tableOn } from "./table.ts";

/** What to do with the catalog on disk. */
export type CacheAction =
  | { readonly kind: "list" }
  | { readonly kind: "path" }
  /** Without a server: everything. */
  | { readonly kind: "clear"; readonly server: string | undefined };

export interface CacheCommandOptions {
  /** The catalog's directory, relative to `cwd`. Default: where `openMcp` keeps it. */
  readonly directory: string | undefined;
  readonly cwd: string | undefined;
  /** Receives what keeps the catalog from being read or changed. */
  readonly log: Logger;
}

/**
 * Lists the catalog, clears it, or prints its path. Connects no server and creates no directory.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if it cannot be read, or something that was to be removed may still be there
 */
export async function cache(
  action: CacheAction,
  { directory, cwd, log }: CacheCommandOptions,
): Promise<CommandResult> {
  const path = catalogDirectory(directory, cwd);
  const listCommand = nextCommand("cache list", { cwd, cache: directory });
  if (action.kind === "path") return { json: { path }, text: `${path}\n`, exitCode: 0 };
  if (!fileSystem.existsSync(path))
    return action.kind === "list" ? listed([]) : cleared([], action, listCommand);
  const hearing = hearFaults(log);
  const known = await entriesAt(path, hearing.log);
  // Faults found while reading, such as a damaged file, do not keep the catalog from being cleared.
  if (action.kind === "clear") return cleared(await clear(path, action.server), action, listCommand);
  if (hearing.faults.length === 0) return listed(known);
  const message = `The catalog in ${path} could not be listed; the warning says why.`;
  throw new McpError("MCP_STORAGE_FAILED", message, { phase: "config" });
}

async function entriesAt(path: string, log: Logger): Promise<readonly CatalogSummary[]> {
  await using catalog = sqliteToolCache({ path, log });
  return sortedEntries(catalog);
}

/** The catalog's directory: the one that is named, else where `openMcp` keeps it. */
function catalogDirectory(named: string | undefined, cwd = "."): string {
  const options = { platform: process.platform, env: process.env };
  return resolve(cwd, named ?? defaultCacheDirectory(options));
}

/** The same; `undefined` if it depends on an unknown home directory: then the catalog is in memory. */
export function catalogPlace(named: string | undefined, cwd: string | undefined): string | undefined {
  try {
    return catalogDirectory(named, cwd);
  } catch {
    return undefined;
  }
}

async function sortedEntries(catalog: ToolCache): Promise<readonly CatalogSummary[]> {
  const entries = await catalog.list();
  return entries.toSorted((a, b) => (a.server < b.server ? -1 : a.server > b.server ? 1 : 0));
}

function listed(entries: readonly CatalogSummary[]): CommandResult {
  const rows = entries.map(({ server, tools, listedAt, stale }) => [
    printableName(server),
    String(tools),
    listedAt > 0 ? new Date(listedAt).toISOString() : "never",
    stale ? "stale" : "",
  ]);
  const table = (page: Page) =>
    alignColumns([["SERVER", "TOOLS", "LISTED AT", ""], ...rows], tableOn(page, {}));
  return { json: { entries }, text: rows.length === 0 ? "The catalog is empty.\n" : table, exitCode: 0 };
}

/**
 * Removes the entries of one server, or everything, even what is sealed with a lost key or was written by another version.
 *
 * @returns the entries that were known
 * @throws McpError `MCP_STORAGE_FAILED` if some of it is, or may be, still there
 */
async function clear(path: string, server: string | undefined): Promise<readonly CatalogSummary[]> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { forgotten, fault, isWorthRetrying } = await forget(path, server);
    if (fault === undefined) return forgotten;
    if (isWorthRetrying && Date.now() < deadline) continue;
    const message = `Not everything could be deleted (${fault}). Close the programs that use the catalog in ${path}, or check that it is writable, and try again.`;
    throw new McpError("MCP_STORAGE_FAILED", message, { phase: "config" });
  }
}

/** As long as a catalog waits for another process before a write. */
const PATIENCE_MS = 5_000;

/** Options that empty a catalog: with a size limit of 0 it drops everything at its next change, even what it cannot read. */
const HOLDS_NOTHING = { maxBytes: 0 };

/** Makes the least change there is: no entry has this id, but deleting it opens the file for writing and enforces the size limit. */
async function changeNothing(catalog: ToolCache): Promise<void> {
  await catalog.delete("" as CatalogId);
}

interface Forgetting {
  readonly forgotten: readonly CatalogSummary[];
  /** Why something may still be there. */
  readonly fault: string | undefined;
  /** Whether the catalog could be written to, so that the fault is temporary. */
  readonly isWorthRetrying: boolean;
}

async function forget(path: string, server: string | undefined): Promise<Forgetting> {
  const faults: string[] = [];
  let isWorthRetrying = true;
  const isEverything = server === undefined;
  await using catalog = sqliteToolCache({
    path,
    ...(isEverything ? HOLDS_NOTHING : {}),
    log(level, message, { reason } = {}) {
      if (level !== "debug") isWorthRetrying = false;
      faults.push(typeof reason === "string" ? reason : message);
    },
  });
  const entries = await sortedEntries(catalog);
  const forgotten = entries.filter((entry) => isEverything || entry.server === server);
  if (isEverything && faults.length === 0) await changeNothing(catalog);
  for (const { id } of isEverything ? [] : forgotten) {
    if (faults.length === 0) await catalog.delete(id);
  }
  return { forgotten, fault: faults[0], isWorthRetrying };
}

/** When everything is cleared, no known entries does not mean that the catalog held nothing. */
function cleared(
  entries: readonly CatalogSummary[],
  { server }: Extract<CacheAction, { readonly kind: "clear" }>,
  listCommand: string,
): CommandResult {
  const names = entries.map(({ server: name }) => `${printableName(name, 40)}\n`).join("");
  const nothing =
    server === undefined
      ? "No servers were listed. The catalog is empty.\n"
      : `No catalog entry is named "${printableName(server, 80)}"; "${listCommand}" shows the names.\n`;
  return {
    json: { cleared: entries.map(({ id, server: name }) => ({ id, server: name })) },
    text: entries.length === 0 ? nothing : `Deleted:\n${names}`,
    exitCode: 0,
  };
}
