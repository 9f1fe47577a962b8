import { decoded } from "./url-login.ts";

/** Longer ids are no ids. */
const LONGEST_SESSION_ID = 1024;

/** So many ids of sessions before are kept out of errors. */
const KEPT_SESSION_IDS = 16;

/** So much of the address that a server of the older transport gives is kept out of errors. */
const MOST_IDS_IN_ENDPOINT = 16;

/** No word of an ordinary text is so long. */
const SHORTEST_NAMELESS_ID = 16;

/** Parameters whose values are no ordinary words, however short they are. */
const NAME_OF_AN_ID = /session|token|secret|ticket|key$|^(?:sid|auth)$/i;

/**
 * The session id that a server has given. It may only hold visible ASCII (MCP 2025-11-25, transports, "Session Management"),
 * so it can carry no header of its own; an empty one is none.
 *
 * @throws SyntaxError, without the id.
 */
export function readSessionId(header: string | undefined): string | undefined {
  if (!header) return undefined;
  if (header.length > LONGEST_SESSION_ID || !/^[\x21-\x7E]+$/.test(header))
    throw new SyntaxError("it gave a session id that is not valid");
  return header;
}

/** The last ids of a conversation, after another one. */
export function withSessionId(ids: readonly string[], id: string): readonly string[] {
  return [...ids, id].slice(-KEPT_SESSION_IDS);
}

/**
 * What may be the id in an address that a server has given, as it is written and decoded: a value of its query that is called so, and
 * whatever is as long as only ids are there and in its path, but for what stands in the path of the server's own address. There are few of
 * them, and none is long, because every line of the log is searched for them.
 */
export function idsInEndpoint(endpoint: URL, server: URL): readonly string[] {
  const known = new Set(server.pathname.split("/"));
  const found = [
    ...endpoint.search.slice(1).split("&").flatMap(idsInPair),
    ...endpoint.pathname.split("/").filter((segment) => isLong(segment) && !known.has(segment)),
  ];
  const spelled = found.flatMap((id) => [id, decoded(id), decoded(id.replaceAll("+", " "))]);
  const pieces = [...new Set(spelled)].flatMap(inPieces);
  return pieces.slice(0, MOST_IDS_IN_ENDPOINT);
}

function idsInPair(pair: string): readonly string[] {
  const end = pair.indexOf("=");
  const value = pair.slice(end + 1);
  return NAME_OF_AN_ID.test(decoded(pair.slice(0, Math.max(end, 0)))) || isLong(value) ? [value] : [];
}

function isLong(written: string): boolean {
  return decoded(written).length >= SHORTEST_NAMELESS_ID;
}

/** A text that is longer than any id is hidden piece by piece. */
function inPieces(text: string): readonly string[] {
  const count = Math.ceil(text.length / LONGEST_SESSION_ID);
  return Array.from({ length: count }, (_, index) =>
    text.slice(index * LONGEST_SESSION_ID, (index + 1) * LONGEST_SESSION_ID),
  );
}
