import { McpError } from "@jackfield/mcp-core";
import { isLoopbackHost, shownUrl } from "../network/endpoint-url.ts";

/** Blanks and control characters, which a URL never contains. URL parsers drop some of them silently, so they can disguise a URL. */
const NEVER_IN_A_URL = String.raw`[\p{Cc}\p{Cf}\p{Z}]`;

/**
 * Checks the URL that the browser will open: https, or http to this machine. This is an allowlist, because any program on the machine
 * may have registered a URL scheme.
 *
 * @returns the parsed URL that was checked, to be opened in place of the text
 * @throws McpError `MCP_AUTH_REQUIRED`, which names the rule
 */
export function checkAuthorizationUrl(authorizationUrl: string | URL): URL {
  const written = String(authorizationUrl);
  const url = new RegExp(NEVER_IN_A_URL, "u").test(written) ? null : URL.parse(written);
  if (!url) throw refusal("The authorization URL", "it is not a valid URL");
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw refusal(
      `The authorization URL (${url.protocol.slice(0, 40)})`,
      "only https is allowed, or http to this machine",
    );
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    throw refusal(shownUrl(url), "http is allowed only to this machine");
  }
  if (url.username || url.password) throw refusal(shownUrl(url), "it contains a user name or a password");
  return url;
}

function refusal(subject: string, rule: string): McpError {
  return new McpError(
    "MCP_AUTH_REQUIRED",
    `${subject} was not opened: ${rule}. Tell the operator of the server.`,
  );
}
