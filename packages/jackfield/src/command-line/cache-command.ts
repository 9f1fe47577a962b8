import { homedir } from "node:os";
import { resolve } from "node:path";
import type { CatalogSummary, Logger, ToolCache } from "@jackfield/mcp-core";
import { defaultCacheDirectory, sqliteToolCache } from "@jackfield/mcp-tool-cache";
import type { CommandResult } from "./command-result.ts";
import { printableLine, printableName } from "./lines.ts";
import type { Page } from "./page.ts";
import { alignColumns, tableOn } from "./table.ts";

/** What is wanted of the catalog on disk. */
export type CacheAction =
  | { readonly action: "list" }
  | { readonly action: "path" }
  /** Without a server: everything. */
  | { readonly action: "clear"; readonly server: string | undefined };

export interface CacheCommandOptions {
  /** The catalog's directory. Default: where `openMcp` keeps it. */
  readonly directory: string | undefined;
  /** Told what keeps the catalog from being read or changed. */
  readonly log: Logger;
}

/** Looks into the catalog, or forgets what is in it. No server is connected, and no directory is made. */
export async function cache(
  wanted: CacheAction,
  { directory, log }: CacheCommandOptions,
): Promise<CommandResult> {
  const path = catalogDirectory(directory);
  if (wanted.action === "path") return { json: { path }, text: `${path}\n`, exitCode: 0 };
  // Not imported: an import would copy all that the module exports, and load streams on the way.
  const { existsSync } = process.getBuiltinModule("node:fs");
  if (!existsSync(path)) return wanted.action === "list" ? listed([]) : cleared([]);
  let isSound = true;
  const logger: Logger = (level, message, fields) => {
    if (level === "warn" || level === "error") isSound = false;
    log(level, message, fields);
  };
  await using catalog = sqliteToolCache({ path, logger });
  const entries = (await catalog.list()).toSorted(byServer);
  const result =
    wanted.action === "list" ? listed(entries) : cleared(await clear(catalog, entries, wanted.server));
  return isSound ? result : { ...result, exitCode: 1 };
}

/** The catalog's directory: the one that is named, else where `openMcp` keeps it. */
export function catalogDirectory(named: string | undefined): string {
  const surroundings = { platform: process.platform, env: process.env, home: homedir() };
  return resolve(named ?? defaultCacheDirectory(surroundings));
}

function byServer(a: CatalogSummary, b: CatalogSummary): number {
  return a.server < b.server ? -1 : a.server > b.server ? 1 : 0;
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
  return { json: entries, text: rows.length === 0 ? "The catalog is empty.\n" : table, exitCode: 0 };
}

async function clear(
  catalog: ToolCache,
  entries: readonly CatalogSummary[],
  server: string | undefined,
): Promise<readonly CatalogSummary[]> {
  const unwanted = entries.filter((entry) => server === undefined || entry.server === server);
  for (const { id } of unwanted) await catalog.delete(id);
  return unwanted;
}

function cleared(entries: readonly CatalogSummary[]): CommandResult {
  const names = entries.map(({ server }) => `${printableLine(server, 40)}\n`).join("");
  return {
    json: { cleared: entries.map(({ id, server }) => ({ id, server })) },
    text: entries.length === 0 ? "There was nothing to forget.\n" : `Forgotten:\n${names}`,
    exitCode: 0,
  };
}
