import type { DatabaseSync } from "node:sqlite";
import type { TakeText } from "./catalog-store.ts";

/** The Keyv namespace of these rows. */
export const NAMESPACE = "catalog";

/** The fraction of the limit to which rows are cut down, so that not every write has to do it again. */
const ROOM_LEFT = 0.9;

const UNEXPIRED = `FROM keyv WHERE namespace = '${NAMESPACE}' AND (expires IS NULL OR expires > ?)`;

type Row = readonly [id: string, text: string];

/**
 * Passes the texts of these ids to `take`, in one statement, one row after the other. Keyv writes the rows, but reading bypasses
 * it: loading Keyv takes longer than reading all rows, and a start that finds everything in the catalog writes nothing before its
 * tools are offered.
 */
export function readRows(database: DatabaseSync, ids: readonly string[], take: TakeText): void {
  if (!hasTable(database)) return;
  const wanted = `SELECT key, value ${UNEXPIRED} AND key IN (SELECT value FROM json_each(?))`;
  for (const row of database.prepare(wanted).iterate(Date.now(), JSON.stringify(ids))) {
    for (const [id, text] of rowOf(row)) take(id, text);
  }
}

/** Every row that has not expired. */
export function readAllRows(database: DatabaseSync): readonly Row[] {
  if (!hasTable(database)) return [];
  return database.prepare(`SELECT key, value ${UNEXPIRED} ORDER BY key`).all(Date.now()).flatMap(rowOf);
}

/** Removes expired rows and, if that is not enough, those that expire soonest. Returns the space to the file system. */
export function tidyRows(database: DatabaseSync, maxBytes: number): void {
  if (!hasTable(database)) return;
  database.prepare("DELETE FROM keyv WHERE expires <= ?").run(Date.now());
  const used = usedBytes(database);
  if (used > maxBytes) {
    // A row is deleted if the rows before it free less than the excess.
    const older = "sum(octet_length(value)) OVER (ORDER BY expires, rowid ROWS UNBOUNDED PRECEDING)";
    database
      .prepare(
        `DELETE FROM keyv WHERE rowid IN (SELECT row FROM
           (SELECT rowid AS row, octet_length(value) AS bytes, ${older} AS freed FROM keyv) WHERE freed - bytes < ?)`,
      )
      .run(used - maxBytes * ROOM_LEFT);
  }
  database.exec("PRAGMA incremental_vacuum");
}

/** The size of the pages in use, in bytes. */
export function usedBytes(database: DatabaseSync): number {
  const number = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  return (number("page_count") - number("freelist_count")) * number("page_size");
}

function hasTable(database: DatabaseSync): boolean {
  const table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'keyv'";
  return database.prepare(table).get() !== undefined;
}

/** Whether the `keyv` table lacks the catalog's columns, so that no statement of the catalog works on it. */
export function hasForeignTable(database: DatabaseSync): boolean {
  if (!hasTable(database)) return false;
  const columns = database.prepare("SELECT name FROM pragma_table_info('keyv')").all();
  const names = new Set(columns.map(({ name }) => name));
  return !["key", "value", "namespace", "expires"].every((name) => names.has(name));
}

/** Skips a row whose value is not text: this catalog did not write it. */
function rowOf({ key, value }: Record<string, unknown>): Row[] {
  return typeof key === "string" && typeof value === "string" ? [[key, value]] : [];
}
