import {
  type CatalogKind,
  DEFAULT_LIMITS,
  type Listing,
  McpError,
  type ServerDefinition,
  type Session,
} from "@jackfield/mcp-core";
import { createDeadline, raceSignal } from "../deadline.ts";

/** A list, and when it was requested, epoch milliseconds: later changes may be missing. */
export interface DatedListing<K extends CatalogKind> extends Listing<K> {
  readonly beganAt: number;
}

/** The kinds, as messages name them. */
export const KIND_WORDS: { readonly [K in CatalogKind]: string } = {
  tools: "tools",
  resources: "resources",
  resourceTemplates: "resource templates",
  prompts: "prompts",
};

/**
 * Lists one kind of a server's items, all pages within its `callTimeoutMs`; with `isStarting` also within its `connectTimeoutMs`,
 * because a start may wait for it.
 *
 * @throws McpError `MCP_CALL_TIMEOUT`, or whatever the session throws.
 */
export async function listKind<K extends CatalogKind>(
  session: Session,
  kind: K,
  { name, limits }: ServerDefinition,
  isStarting = false,
): Promise<DatedListing<K>> {
  const { callTimeoutMs = DEFAULT_LIMITS.callTimeoutMs, connectTimeoutMs = DEFAULT_LIMITS.connectTimeoutMs } =
    limits ?? {};
  const isSooner = connectTimeoutMs > 0 && (callTimeoutMs === 0 || connectTimeoutMs < callTimeoutMs);
  const isShort = isStarting && isSooner;
  const timeoutMs = isShort ? connectTimeoutMs : callTimeoutMs;
  const expired = () => {
    const message = `Server "${name}" did not list its ${KIND_WORDS[kind]} within ${timeoutMs} ms; raise ${isShort ? "connectTimeoutMs" : "callTimeoutMs"} or check the server.`;
    return new McpError("MCP_CALL_TIMEOUT", message, { server: name, phase: "list" });
  };
  using deadline = createDeadline({ timeoutMs, aborted: expired, expired });
  const beganAt = Date.now();
  try {
    const listing = await raceSignal(session.list(kind, { signal: deadline.signal }), deadline.signal);
    return { ...listing, beganAt };
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error;
  }
}
