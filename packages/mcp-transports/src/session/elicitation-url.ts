/** Blanks and controls never stand in a URL; the URL standard drops some of them silently, and so they serve as a disguise. */
const NEVER_IN_A_URL = /[\p{Cc}\p{Cf}\p{Z}]/u;

/** Hosts of this machine, as the URL standard writes them. */
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Whether a person may be asked to open an address that a server names: https, or http on this machine, without a user name or a
 * password in it. A list of what is allowed, because every program on a machine may have registered a scheme of its own (MCP, "URL
 * mode elicitation"; `mcp-auth` has the same rule for logins).
 */
export function mayBeOpened(address: unknown): address is string {
  if (typeof address !== "string" || NEVER_IN_A_URL.test(address)) return false;
  const url = URL.parse(address);
  if (!url) return false;
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK_HOST.test(url.hostname));
}
