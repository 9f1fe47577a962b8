/** White space and controls never occur in a URL. The URL standard silently drops some, so they can disguise an address. */
const NEVER_IN_A_URL = String.raw`[\p{Cc}\p{Cf}\p{Z}]`;

/** Hosts of this machine, as the URL standard writes them. */
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The address that the user may be asked to open, as the URL standard writes the one that the server gave: what is checked is what is
 * handed over, so no other parser can read another host in it, and a host that imitates another one is in Punycode. `undefined` for
 * anything but https, or http on this machine, without a user name or password. This is an allowlist, because every program on a machine
 * may have registered a scheme of its own (MCP, "URL mode elicitation"; `mcp-auth` has the same rule for logins).
 */
export function addressToOpen(written: unknown): string | undefined {
  if (typeof written !== "string" || new RegExp(NEVER_IN_A_URL, "u").test(written)) return undefined;
  const url = URL.parse(written);
  if (url?.username !== "" || url.password !== "") return undefined;
  const isAllowed =
    url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK_HOST.test(url.hostname));
  return isAllowed ? url.href : undefined;
}
