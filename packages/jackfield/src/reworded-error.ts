import { McpError, type SourceLocation } from "@jackfield/mcp-core";

/** The same error with another message. Default `location`: the same. */
export function rewordedError(
  error: McpError,
  message: string,
  location: SourceLocation | undefined = error.location,
): McpError {
  const { code, message: _, ...details } = error.toJSON();
  return new McpError(code, message, { ...details, location, cause: error.cause });
}
