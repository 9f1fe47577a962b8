/** SQLite's primary result codes (https://www.sqlite.org/rescode.html). */
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Whether an error of SQLite says that the file itself is bad, and not merely busy, full or out of reach. */
export function isDamage(error: unknown): boolean {
  return [CORRUPT, NOT_A_DATABASE].includes(primaryCode(error));
}

/** Whether an error, or its cause, is SQLite's for a lock that is held elsewhere. */
export function isBusy(error: unknown): boolean {
  return [error, error instanceof Error && error.cause].some((each) =>
    [BUSY, LOCKED].includes(primaryCode(each)),
  );
}

/** Whether SQLite rejected a statement, for example because a column is missing. */
export function isRefusedStatement(error: unknown): boolean {
  return primaryCode(error) === ERROR;
}

/** The low byte of the result code; the other bytes only refine it. 0 for errors that are not SQLite's. */
function primaryCode(error: unknown): number {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return 0;
  return error.errcode & 0xff;
}
