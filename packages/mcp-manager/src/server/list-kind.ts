import {
  type CatalogEntry,
  type CatalogKind,
  createDeadline,
  DEFAULT_LIMITS,
  type Listing,
  McpError,
  mostListed,
  raceSignal,
  type ServerDefinition,
  type ServerLimits,
  type Session,
} from "@jackfield/mcp-core";

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

/** A listing without what lies beyond the limit, which a connector may not know. */
function boundedListing<K extends CatalogKind>(
  kind: K,
  listing: Listing<K>,
  limits: ServerLimits | undefined,
): Listing<K> {
  const most = mostListed(kind, limits);
  if (listing.items.length <= most) return listing;
  return { ...listing, items: listing.items.slice(0, most), isCut: true };
}

/** A catalog entry without what lies beyond the limits: they may have been higher when it was stored. */
export function boundedEntry(entry: CatalogEntry, limits: ServerLimits | undefined): CatalogEntry {
  const isLong = (kind: CatalogKind) => (entry[kind]?.length ?? 0) > mostListed(kind, limits);
  const long = (Object.keys(KIND_WORDS) as CatalogKind[]).filter(isLong);
  if (long.length === 0) return entry;
  const cut = long.map((kind) => [kind, entry[kind]?.slice(0, mostListed(kind, limits))]);
  return { ...entry, ...Object.fromEntries(cut) };
}

/** What to do about a list that was cut. */
export function cutAdvice(kind: CatalogKind, limits: ServerLimits | undefined): string {
  const most = mostListed(kind, limits);
  const taken = `The server lists more than ${most} ${KIND_WORDS[kind]}; the first ${most} are taken, and the rest is left out.`;
  return kind === "tools"
    ? `${taken} Raise "maxTools" in its limits if they are expected.`
    : `${taken} What is left out can still be asked for by name or URI.`;
}

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
    return { ...boundedListing(kind, listing, limits), beganAt };
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error;
  }
}
