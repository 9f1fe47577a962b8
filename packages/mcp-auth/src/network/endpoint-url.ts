import { isIP } from "node:net";
import { McpError } from "@jackfield/mcp-core";
import { type AddressKind, addressKind } from "./address-rules.ts";

/** Which hosts an OAuth request may reach besides the internet. */
export interface NetworkReach {
  /**
   * Whether this machine may be reached, with plain http too: `localhost`, 127.0.0.0/8 and [::1]. True only where the MCP server
   * itself is on this machine. Default false.
   */
  readonly allowLoopback?: boolean | undefined;
  /**
   * Host names that the user configured and that may have private addresses, as in a company network. Must not contain anything from
   * a server. Default none.
   */
  readonly trustedHosts?: readonly string[] | undefined;
}

/** What a URL is for, to be named in errors. */
export interface EndpointPurpose {
  /** The member of the metadata, the header or the setting that the URL comes from. */
  readonly field?: string | undefined;
}

/**
 * Checks an OAuth endpoint's URL: https (http to this machine only), no user name or password, and no loopback name or IP address that
 * `NetworkReach` forbids. The addresses of other names are checked when they are dialled.
 *
 * @throws McpError `MCP_AUTH_REQUIRED`, which names the field, the URL without its query, and the rule
 */
export function checkEndpointUrl(
  endpoint: string | URL,
  { field, ...reach }: NetworkReach & EndpointPurpose = {},
): URL {
  const url = URL.parse(String(endpoint));
  const refuse = (rule: string): never => {
    throw endpointRefusal(describe(url, field), rule);
  };
  if (!url) return refuse("it is not a URL");
  if (url.username || url.password) refuse("it contains a user name or a password");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname))) {
    refuse("OAuth requires https, or http to this machine");
  }
  const rule = refusalOfHost(url.hostname, reach);
  return rule ? refuse(rule) : url;
}

/** The error for an endpoint that breaks a rule. */
export function endpointRefusal(endpoint: string, rule: string): McpError {
  return new McpError("MCP_AUTH_REQUIRED", `${endpoint} is not used: ${rule}.`);
}

/** A URL as errors show it, without query and fragment, which may hold codes and tokens. The cut is longer than any host name. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host.slice(0, 300)}${url.pathname.slice(0, 200)}${url.search ? "?…" : ""}`;
}

/** Whether a URL's host names this machine by its spelling alone. */
export function isLoopbackHost(hostname: string): boolean {
  const name = bareHost(hostname);
  return name === "localhost" || name.endsWith(".localhost") || addressKind(name) === "loopback";
}

/** A host in lower case, without IPv6 brackets or a trailing dot. */
export function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
}

/** The rule that a host's spelling breaks, or `undefined`. */
function refusalOfHost(hostname: string, reach: NetworkReach): string | undefined {
  const name = bareHost(hostname);
  if (isLoopbackHost(name) && !reach.allowLoopback)
    return "it leads to this machine, but the server is elsewhere";
  return isIP(name) ? refusalOfAddress(name, addressKind(name), reach) : undefined;
}

/**
 * The rule that a host's address breaks, or `undefined`. A loopback name must resolve to this machine, and any other name must not.
 */
export function refusalOfAddress(
  hostname: string,
  kind: AddressKind,
  { allowLoopback = false, trustedHosts = [] }: NetworkReach,
): string | undefined {
  if (isLoopbackHost(hostname)) {
    if (kind !== "loopback") return "it is a name for this machine but leads elsewhere";
    return allowLoopback ? undefined : "it leads to this machine, but the server is elsewhere";
  }
  if (kind === "public") return undefined;
  const isTrusted = trustedHosts.some((trusted) => bareHost(trusted) === bareHost(hostname));
  if (isTrusted && kind !== "special") return undefined;
  return kind === "loopback"
    ? "it leads to this machine, but the server is elsewhere"
    : `it leads to an address that is not on the internet (${kind})`;
}

function describe(url: URL | null, field: string | undefined): string {
  const shown = url ? shownUrl(url) : "The given value";
  return field ? `${shown} (${field})` : shown;
}
