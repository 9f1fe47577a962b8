/** Longer ids are no ids. */
const LONGEST_SESSION_ID = 1024;

/** So many ids of sessions before are kept out of errors. */
const KEPT_SESSION_IDS = 16;

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

/** What may be the id in an address that a server has given: every value of its query, as it is written and decoded. */
export function idsInQuery({ search, searchParams }: URL): readonly string[] {
  const written = search.slice(1).split("&");
  return [...written.map((pair) => pair.slice(pair.indexOf("=") + 1)), ...searchParams.values()];
}
