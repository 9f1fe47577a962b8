import { type CallOutcome, McpError } from "@jackfield/mcp-core";

/** The error with this outcome, unless it has one of its own. */
export function withOutcome(error: McpError, outcome: CallOutcome): McpError {
  if (error.outcome !== undefined) return error;
  return new McpError(error.code, error.message, { ...error.toJSON(), outcome, cause: error.cause });
}
