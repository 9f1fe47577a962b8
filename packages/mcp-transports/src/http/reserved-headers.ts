/** Headers that the protocol or the connection decides: a configured value would contradict what is really sent. */
const RESERVED = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "last-event-id",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Whether only the transport may set a header. All of MCP's own begin with `mcp-`. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED.has(lower) || lower.startsWith("mcp-");
}

/** The headers without the reserved ones, in upper or lower case. */
export function withoutReservedHeaders(headers: { readonly [name: string]: string }): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isReservedHeader(name)));
}

/** The name of a header that cannot be sent: not a token (RFC 9110, section 5.6.2), or its value is not plain Latin-1 on one line. */
export function findInvalidHeader(headers: { readonly [name: string]: string }): string | undefined {
  return Object.keys(headers).find(
    (name) =>
      !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) || !/^[\t\x20-\x7E\x80-\xFF]*$/.test(headers[name] ?? ""),
  );
}
