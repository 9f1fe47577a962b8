import { McpError } from "@jackfield/mcp-core";

type SqliteModule = typeof import("node:sqlite");
type EmitWarning = (warning: string | Error, ...rest: unknown[]) => void;

/** The longest SQLite may wait for another process, in milliseconds. It blocks this process meanwhile. */
export const BLOCKING_TIMEOUT_MS = 100;

/**
 * Loads `node:sqlite` without the notice that Node 22 prints when it is loaded ("SQLite is an experimental feature"). Loading is
 * synchronous, so no other warning can come in between; one that does anyway is passed on.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if this Node was started without SQLite.
 */
export function loadSqlite(): SqliteModule {
  const emitWarning = process.emitWarning as EmitWarning;
  process.emitWarning = ((warning, ...rest) => {
    if (!isSqliteNotice(warning, rest[0])) Reflect.apply(emitWarning, process, [warning, ...rest]);
  }) as EmitWarning as typeof process.emitWarning;
  try {
    const module: SqliteModule | undefined = process.getBuiltinModule("node:sqlite");
    if (module !== undefined) return module;
  } finally {
    process.emitWarning = emitWarning as typeof process.emitWarning;
  }
  throw new McpError(
    "MCP_STORAGE_FAILED",
    "This Node has no SQLite; start it without --no-experimental-sqlite.",
  );
}

function isSqliteNotice(warning: string | Error, type: unknown): boolean {
  return type === "ExperimentalWarning" && String(warning).startsWith("SQLite is an experimental feature");
}
