import { McpError } from "@jackfield/mcp-core";

/** The same error with another message. */
export function rewordedError(error: McpError, message: string): McpError {
  const { code, message: _, ...details } = error.toJSON();
  return new McpError(code, message, { ...details, cause: error.cause });
}
