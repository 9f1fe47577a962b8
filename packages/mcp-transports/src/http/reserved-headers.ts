/** Headers that the protocol or the connection decides: a configured value would contradict what is really sent. */
const RESERVED = new Set([
  "accept",
  "connection",
  "content-length",
  "content-type",
  "host",
  "last-event-id",
  "transfer-encoding",
  "upgrade",
]);

/** Whether only the transport may set a header. All of MCP's own begin with `mcp-`. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED.has(lower) || lower.startsWith("mcp-");
}

/** The headers a person may configure; the others are dropped, however they are spelled. */
export function withoutReservedHeaders(headers: { readonly [name: string]: string }): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isReservedHeader(name)));
}
