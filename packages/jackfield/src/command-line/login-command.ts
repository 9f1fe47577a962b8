import { McpError } from "@jackfield/mcp-core";

/**
 * Says that there is no login yet, and what helps until then.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`, always
 */
export function refuseLogin(command: "login" | "logout", server: string | undefined): never {
  const message = `"jackfield ${command}" comes with @jackfield/mcp-auth, which is not released yet. Until then put a token into the entry: "headers": { "Authorization": "Bearer \${NAME}" }.`;
  throw new McpError("MCP_AUTH_REQUIRED", message, { server, phase: "config" });
}
