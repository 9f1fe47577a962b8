import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { ENVELOPE_KEYS } from "../protocol/handshake.ts";
import { ACCEPTED_ENCODINGS } from "./body-decoder.ts";
import type { HeaderList } from "./http-wire.ts";

/** Which parameter `Mcp-Name` repeats (MCP 2026-07-28, Streamable HTTP, "Standard Request Headers"). */
const NAMED_BY: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

const ENCODED = { prefix: "=?base64?", suffix: "?=" };

/** The source of the headers that every request of a connection carries. */
export interface ConnectionHeaders {
  /** The configured headers, without the reserved ones. */
  readonly configured: HeaderList;
  readonly sessionId: string | undefined;
  readonly protocolVersion: string | undefined;
  /** Whether compressed answers are accepted. */
  readonly takesEncodings: boolean;
}

/** The headers of a POST that mirrors nothing of its message. */
export function postHeaders(connection: ConnectionHeaders): string[] {
  return [
    ...commonHeaders(connection),
    "accept",
    "application/json, text/event-stream",
    "content-type",
    "application/json",
  ];
}

/** The headers of a GET that opens a stream, or resumes it after the event `lastEventId`. */
export function streamHeaders(connection: ConnectionHeaders, lastEventId: string | undefined): string[] {
  // Header strings are written as Latin-1, and an id is UTF-8.
  const bytes = Buffer.from(lastEventId ?? "", "utf8").toString("latin1");
  const resuming = lastEventId === undefined ? [] : ["last-event-id", bytes];
  return [...commonHeaders(connection), "accept", "text/event-stream", ...resuming];
}

/** The headers all requests have. */
export function commonHeaders(connection: ConnectionHeaders): string[] {
  const { configured, sessionId, protocolVersion, takesEncodings } = connection;
  return [
    ...configured,
    ...(takesEncodings ? ["accept-encoding", ACCEPTED_ENCODINGS] : []),
    ...(sessionId === undefined ? [] : ["mcp-session-id", sessionId]),
    ...(protocolVersion === undefined ? [] : ["mcp-protocol-version", protocolVersion]),
  ];
}

/** The protocol version that a request of the modern era declares in its `_meta`. */
export function claimedVersion(message: JSONRPCMessage): string | undefined {
  const params = "method" in message && "id" in message ? message.params : undefined;
  const version = (params?._meta as { readonly [key: string]: unknown } | undefined)?.[
    ENVELOPE_KEYS.protocolVersion
  ];
  return typeof version === "string" ? version : undefined;
}

/** The headers that mirror parts of a modern message, and the `Mcp-Param-*` headers among `extra`. */
export function mirroredHeaders(
  message: JSONRPCMessage,
  version: string,
  extra: { readonly [name: string]: string } | undefined,
): string[] {
  if (!("method" in message)) return [];
  const { method } = message;
  const source = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = source === undefined ? undefined : message.params?.[source];
  const parameters = Object.entries(extra ?? {}).filter(([header]) => /^mcp-param-/i.test(header));
  return [
    "mcp-protocol-version",
    version,
    "mcp-method",
    method,
    ...(typeof name === "string" ? ["mcp-name", encodeHeaderValue(name)] : []),
    ...parameters.flatMap(([header, value]) => [header.toLowerCase(), encodeHeaderValue(value)]),
  ];
}

/** Encodes a text as a header value (MCP 2026-07-28, Streamable HTTP, "Value Encoding"). */
export function encodeHeaderValue(text: string): string {
  const isPlain = /^[\t\x20-\x7E]+$/.test(text) && text === text.trim();
  const looksEncoded = text.startsWith(ENCODED.prefix) && text.endsWith(ENCODED.suffix);
  if (isPlain && !looksEncoded) return text;
  return `${ENCODED.prefix}${Buffer.from(text, "utf8").toString("base64")}${ENCODED.suffix}`;
}

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
