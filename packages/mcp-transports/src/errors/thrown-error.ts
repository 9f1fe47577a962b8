import { thrownText } from "@jackfield/mcp-core";

/** What was thrown, as an error: a host's function may throw anything, also what has no text. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(thrownText(thrown));
}
