import { McpError } from "@jackfield/mcp-core";

/**
 * The spelling of a server's URL under which credentials are stored: normalized as the URL standard does, without fragment, user name
 * and password. Path and query are kept, because servers may distinguish users by them.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if it is not an http or https URL
 */
export function canonicalServerUrl(serverUrl: string | URL): string {
  const url = URL.parse(String(serverUrl));
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new McpError("MCP_CONFIG_INVALID", "A server's URL must begin with https:// or http://.");
  }
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.href;
}
