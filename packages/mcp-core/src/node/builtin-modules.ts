import { McpError } from "../index.ts";

/**
 * `node:fs`, fetched instead of imported: an `import` copies all exports of a module, which loads streams and takes as long as reading a
 * small catalog.
 */
export const fileSystem = process.getBuiltinModule("node:fs");

/** `node:crypto`, fetched like `fileSystem`, and only when it is needed: it takes long to load. */
export function cryptography(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

/** Whether a value is an error of the system with this code, such as `ENOENT`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

type SqliteModule = typeof import("node:sqlite");
type EmitWarning = (warning: string | Error, ...rest: unknown[]) => void;

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

/**
 * The primary result code of an error of SQLite (https://www.sqlite.org/rescode.html), such as 5 for a lock that is held elsewhere; the
 * other bytes of its code only refine it. 0 for errors that are not SQLite's.
 */
export function sqliteErrorCode(error: unknown): number {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return 0;
  return error.errcode & 0xff;
}
