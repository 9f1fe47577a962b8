import type { Diagnostic } from "@jackfield/mcp-core";

/**
 * Whether a diagnostic says that all servers of a file are under a key that is not read: another host's, or a misspelled one. Beside
 * servers that are read, such a key is a warning only, as is a near miss in an entry.
 */
export function isUnderWrongKey({ code, severity }: Diagnostic): boolean {
  return severity === "error" && (code === "wrong-root-key" || code === "near-miss-field");
}
