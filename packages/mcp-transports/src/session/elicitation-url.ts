/** White space and controls never occur in a URL. The URL standard silently drops some, so they can disguise an address. */
const NEVER_IN_A_URL = String.raw`[\p{Cc}\p{Cf}\p{Z}]`;

/** Hosts of this machine, as the URL standard writes them. */
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Whether the user may be asked to open an address from a server: https, or http on this machine, without a user name or password.
 * This is an allowlist, because every program on a machine may have registered a scheme of its own (MCP, "URL mode elicitation";
 * `mcp-auth` has the same rule for logins).
 */
export function mayBeOpened(address: unknown): address is string {
  if (typeof address !== "string" || new RegExp(NEVER_IN_A_URL, "u").test(address)) return false;
  const url = URL.parse(address);
  if (!url) return false;
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK_HOST.test(url.hostname));
}
