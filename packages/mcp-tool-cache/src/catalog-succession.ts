import type { CatalogEntry } from "@jackfield/mcp-core";

/** An entry as it is kept, with what only the catalog itself needs to know. */
export interface CatalogRecord {
  readonly entry: CatalogEntry;
  /** The server's last list was empty; the tools kept are those of the list before. */
  readonly suspect: boolean;
}

/**
 * Decides what is kept when an entry arrives; `undefined` means that what is kept stays.
 *
 * - An entry never replaces one that was listed later. Equal times are the same listing, written once more.
 * - A list that is suddenly empty does not wipe out a good one: many servers answer so while they warm up. The good tools
 *   stay, stale, until a later listing is empty too (that is the confirmation) or has tools again.
 */
export function successor(kept: CatalogRecord | undefined, next: CatalogEntry): CatalogRecord | undefined {
  if (kept === undefined) return { entry: next, suspect: false };
  if (next.listedAt < kept.entry.listedAt) return undefined;
  const sameListing = next.listedAt === kept.entry.listedAt;
  const suddenlyEmpty = isEmpty(next.tools) && hasTools(kept.entry) && (!kept.suspect || sameListing);
  if (suddenlyEmpty) return { entry: withToolsOf(kept.entry, next), suspect: true };
  if (kept.suspect && sameListing) return { entry: { ...next, stale: true }, suspect: true };
  return { entry: next, suspect: false };
}

function isEmpty(tools: CatalogEntry["tools"]): boolean {
  return tools?.length === 0;
}

function hasTools({ tools }: CatalogEntry): boolean {
  return tools !== undefined && tools.length > 0;
}

/** The tools stay with the credentials they were listed with. */
function withToolsOf({ tools, credentials }: CatalogEntry, next: CatalogEntry): CatalogEntry {
  return { ...next, tools, credentials, stale: true };
}
