import { McpError } from "@jackfield/mcp-core";
import { checkEndpointUrl, type NetworkReach, shownUrl } from "./endpoint-url.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The only headers sent on to another origin after a redirect; others may hold credentials. */
const HARMLESS_HEADERS = ["accept", "accept-language"] as const;

/** One request in a chain of redirects. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
}

/**
 * The next request if the answer is a redirect, its target checked like the first URL, else `undefined`.
 *
 * @throws McpError `MCP_AUTH_REQUIRED` if the target is forbidden, or the method is not GET or HEAD: a body is never sent on
 */
export function nextHop(
  hop: Hop,
  status: number,
  location: string | null,
  reach: NetworkReach,
): Hop | undefined {
  if (!REDIRECTS.has(status) || location === null) return undefined;
  const target = URL.parse(location, hop.url.href);
  if (hop.method !== "GET" && hop.method !== "HEAD") {
    throw new McpError(
      "MCP_AUTH_REQUIRED",
      `${shownUrl(hop.url)} redirects a ${hop.method} to ${target?.origin.slice(0, 300) ?? "an invalid URL"}; only a GET follows redirects.`,
      { httpStatus: status },
    );
  }
  const url = checkEndpointUrl(target ?? location, { ...reach, field: `a redirect of ${shownUrl(hop.url)}` });
  return { ...hop, url, headers: url.origin === hop.url.origin ? hop.headers : harmless(hop.headers) };
}

function harmless(headers: Headers): Headers {
  const kept = new Headers();
  for (const name of HARMLESS_HEADERS) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}
