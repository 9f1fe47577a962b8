import { McpError } from "@jackfield/mcp-core";

/**
 * The one spelling of a server's URL that credentials are kept under: as the URL standard writes it, without fragment, user name
 * and password. Path and query stay as they are, because servers may tell users apart by them.
 *
 * @throws McpError `MCP_CONFIG_INVALID` if it is no http or https URL.
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
