import { decoded, namesCredential } from "@jackfield/mcp-core";

/** Longer ids are invalid. In characters. */
const LONGEST_SESSION_ID = 1024;

/** How many session ids of a conversation are redacted from errors. */
const KEPT_SESSION_IDS = 16;

/** How many parts of an endpoint URL (HTTP+SSE) are redacted from errors. */
const MOST_IDS_IN_ENDPOINT = 16;

/** A shorter value counts as an id only if its parameter name suggests one. */
const SHORTEST_NAMELESS_ID = 16;

/** Parameters whose values count as ids, however short they are, as those of credentials do. */
const NAME_OF_AN_ID = /session|ticket|^sid$/i;

/** Parameters that often hold an id. A shorter value of theirs is more likely a number or an ordinary word. */
const LIKELY_NAME_OF_AN_ID = /(?:^|[^a-z])id$|conn|client|transport/i;
const LIKELY_NAME_IN_CAMEL_CASE = /I[Dd]$/;
const SHORTEST_LIKELY_ID = 6;

/** Sets an id apart from the words of a path: it has digits, or capitals within a word. */
const LOOKS_LIKE_AN_ID = /\d|[a-z][A-Z]/;

/**
 * The session id in a header; an empty one is none. It may only hold visible ASCII (MCP 2025-11-25, transports,
 * "Session Management"), so it cannot inject another header.
 *
 * @throws SyntaxError if the id is invalid; the message does not contain it.
 */
export function readSessionId(header: string | undefined): string | undefined {
  if (!header) return undefined;
  if (header.length > LONGEST_SESSION_ID || !/^[\x21-\x7E]+$/.test(header))
    throw new SyntaxError("its session id is not valid");
  return header;
}

/** Appends an id to those of a conversation, and keeps the latest. */
export function withSessionId(ids: readonly string[], id: string): readonly string[] {
  return [...ids, id].slice(-KEPT_SESSION_IDS);
}

/**
 * Finds possible session ids in the endpoint URL of a server, both as written and decoded: query values whose name suggests an id or
 * that are long, and long path segments that look like an id and are not in the server's own URL. The list and its entries are short,
 * because every line of the log is searched for them.
 */
export function idsInEndpoint(endpoint: URL, server: URL): readonly string[] {
  const known = new Set(server.pathname.split("/"));
  const found = [
    ...endpoint.search.slice(1).split("&").flatMap(idsInPair),
    ...endpoint.pathname.split("/").filter((segment) => isIdInPath(segment) && !known.has(segment)),
  ];
  const spelled = found.flatMap((id) => [id, decoded(id), decoded(id.replaceAll("+", " "))]);
  const pieces = [...new Set(spelled)].flatMap(inPieces);
  return pieces.slice(0, MOST_IDS_IN_ENDPOINT);
}

function idsInPair(pair: string): readonly string[] {
  const end = pair.indexOf("=");
  const value = pair.slice(end + 1);
  return decoded(value).length >= shortestId(decoded(pair.slice(0, Math.max(end, 0)))) ? [value] : [];
}

/** How long the value of a parameter has to be to count as an id. */
function shortestId(name: string): number {
  if (NAME_OF_AN_ID.test(name) || namesCredential(name)) return 0;
  const isLikely = LIKELY_NAME_OF_AN_ID.test(name) || LIKELY_NAME_IN_CAMEL_CASE.test(name);
  return isLikely ? SHORTEST_LIKELY_ID : SHORTEST_NAMELESS_ID;
}

function isIdInPath(segment: string): boolean {
  const text = decoded(segment);
  return text.length >= SHORTEST_NAMELESS_ID && LOOKS_LIKE_AN_ID.test(text);
}

/** Splits a text that is longer than any id, to be redacted piece by piece. */
function inPieces(text: string): readonly string[] {
  const count = Math.ceil(text.length / LONGEST_SESSION_ID);
  return Array.from({ length: count }, (_, index) =>
    text.slice(index * LONGEST_SESSION_ID, (index + 1) * LONGEST_SESSION_ID),
  );
}
