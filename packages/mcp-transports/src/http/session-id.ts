/** Longer ids are no ids. */
const LONGEST_SESSION_ID = 1024;

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
