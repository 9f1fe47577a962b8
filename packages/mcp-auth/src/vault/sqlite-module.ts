import type { DatabaseSync } from "node:sqlite";
import { McpError } from "@jackfield/mcp-core";

/**
 * Opens a database that does not wait for locks. Node 22 says once that its SQLite is experimental; that notice is of no use to
 * whoever logs in, so it is left out.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if this Node was told to do without SQLite.
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
    "MCP_CONFIG_INVALID",
    "This Node has no SQLite; start it without --no-experimental-sqlite.",
  );
}
