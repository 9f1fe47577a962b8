import type { PriorHandshake, ResolvedRemoteServer } from "@jackfield/mcp-core";
import type { Channel } from "./channel.ts";
import { isFreshVerdict, type Negotiated, type NegotiationOptions, negotiate } from "./negotiation.ts";

/** The transports that a remote server may turn out to speak. */
type RemoteTransport = "http" | "sse";

export interface RemoteNegotiationOptions extends Omit<NegotiationOptions, "openChannel"> {
  open(transport: RemoteTransport): Promise<Channel>;
}

/** Statuses of an endpoint that does not know Streamable HTTP (MCP 2025-11-25, transports, "Backwards Compatibility"). */
const NOT_SPOKEN_HERE = new Set([404, 405, 501]);

/**
 * Determines the transport and the era. Streamable HTTP comes first. HTTP+SSE is tried only if the very first request shows
 * that the endpoint does not know Streamable HTTP, and comes first if an earlier session has found that out.
 */
export async function negotiateRemote(
  server: ResolvedRemoteServer,
  options: RemoteNegotiationOptions,
): Promise<Negotiated> {
  if (server.transport === "sse") return negotiateOver("sse", options);
  const first: RemoteTransport = olderVerdict(options.prior, Date.now()) ? "sse" : "http";
  const facts: { channel?: Channel } = {};
  const onChannel = (channel: Channel) => {
    facts.channel = channel;
    options.onChannel(channel);
  };
  try {
    return await negotiateOver(first, { ...options, onChannel });
  } catch (error) {
    const refusal = first === "http" ? facts.channel?.facts().firstRefusal : statusOf(error);
    if (!NOT_SPOKEN_HERE.has(refusal ?? 0) || options.deadline.signal.aborted) throw error;
    const other = first === "http" ? "sse" : "http";
    return await negotiateOver(other, { ...options, onChannel, prior: undefined }).catch(
      (second: unknown) => {
        const isTelling = options.deadline.signal.aborted || facts.channel?.facts().isConfirmedSse;
        throw isTelling ? second : error;
      },
    );
  }
}

/** The verdict of an earlier session that a server speaks only HTTP+SSE, unless it has expired. */
function olderVerdict(prior: PriorHandshake | undefined, now: number): PriorHandshake | undefined {
  return prior?.era === "legacy" && prior.transport === "sse" && isFreshVerdict(prior, now)
    ? prior
    : undefined;
}

/**
 * A server that speaks only HTTP+SSE does not know the probe, so the round trip is saved. A verdict that is merely confirmed
 * keeps its date, so that an upgrade of the server is noticed one day.
 */
async function negotiateOver(
  transport: RemoteTransport,
  options: RemoteNegotiationOptions,
): Promise<Negotiated> {
  const openChannel = () => options.open(transport);
  if (transport === "http") return negotiate({ ...options, openChannel });
  const now = Date.now();
  const verdict = olderVerdict(options.prior, now) ?? { era: "legacy", at: now };
  const negotiated = await negotiate({ ...options, openChannel, prior: verdict });
  const { at } = negotiated.handshake.prior;
  const prior = { era: "legacy", at, transport } as const;
  return { ...negotiated, handshake: { ...negotiated.handshake, prior } };
}

function statusOf(error: unknown): number | undefined {
  const status = typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  return typeof status === "number" ? status : undefined;
}
