import { isMcpError } from "@jackfield/mcp-core";
import { sqliteErrorCode } from "@jackfield/mcp-core/node";

const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Whether an error of SQLite says that the file itself is bad, and not merely busy, full or out of reach. */
export function isDamage(error: unknown): boolean {
  return [CORRUPT, NOT_A_DATABASE].includes(sqliteErrorCode(error));
}

/** Whether an error, or its cause, says that another process holds a lock. */
export function isBusy(error: unknown): boolean {
  if (isMcpError(error, "MCP_LIMIT_EXCEEDED")) return true;
  return [error, error instanceof Error && error.cause].some((each) =>
    [BUSY, LOCKED].includes(sqliteErrorCode(each)),
  );
}

/** Whether SQLite rejected a statement, for example because a column is missing. */
export function isRefusedStatement(error: unknown): boolean {
  return sqliteErrorCode(error) === ERROR;
}
