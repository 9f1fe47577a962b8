import type { DatabaseSync } from "node:sqlite";
import { McpError } from "@jackfield/mcp-core";

/**
 * Opens a database that does not wait for locks. It suppresses Node 22's warning that SQLite is experimental, which is of no use to a
 * person who logs in.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if Node was started without SQLite
 */
export function openDatabase(path: string): DatabaseSync {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] !== "ExperimentalWarning") Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    const sqlite: typeof import("node:sqlite") | undefined = process.getBuiltinModule("node:sqlite");
    if (sqlite) return new sqlite.DatabaseSync(path, { timeout: 0 });
  } finally {
    process.emitWarning = emitWarning;
  }
  throw new McpError(
    "MCP_STORAGE_FAILED",
    "This Node has no SQLite; start it without --no-experimental-sqlite.",
  );
}
