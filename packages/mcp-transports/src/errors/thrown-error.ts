import { thrownText } from "@jackfield/mcp-core";

/** What was thrown, as an error: a host's function may throw anything, also what has no text or cannot even be looked at. */
export function asError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(thrownText(thrown));
}

/** Whether it is one. Of a proxy that was revoked this cannot be asked, and it is none. */
function isError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error;
  } catch {
    return false;
  }
}
