import { thrownText } from "@jackfield/mcp-core";

/** Converts a thrown value to an `Error`. A host's function may throw anything, even a value that cannot be printed or inspected. */
export function asError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(thrownText(thrown));
}

/** Whether a value is an `Error`. `instanceof` throws for a revoked proxy, which does not count as one. */
function isError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error;
  } catch {
    return false;
  }
}
