import { isMcpError } from "@jackfield/mcp-core";
import { withoutControls } from "./terminal-style.ts";

/** An error as one line for a person. */
export function describeError(error: unknown): string {
  if (isMcpError(error)) return withoutControls(`${error.code}: ${error.message}`);
  return withoutControls(error instanceof Error ? error.message : String(error));
}
