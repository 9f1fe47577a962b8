import {
  createDeadline,
  type Deadline,
  type Handshake,
  type HostHandlers,
  type Implementation,
  type JsonObject,
  type PriorHandshake,
  type ResolvedServer,
  raceSignal,
} from "@jackfield/mcp-core";
import type { Channel, ChannelFacts } from "../channel.ts";
import { ChannelFault } from "../channel-fault.ts";
import { METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION } from "../rpc-codes.ts";
import type { Connection } from "./connection.ts";
import { ProtocolFault, RpcError } from "./faults.ts";
import {
  announcedCapabilities,
  envelopeOf,
  LEGACY_VERSIONS,
  MODERN_VERSION,
  readDiscover,
  readInitialize,
  wireImplementation,
} from "./handshake.ts";
import { ask, ProbeRefusal, probe } from "./probe.ts";

/** A server may be upgraded and still answer `initialize`, so a legacy verdict has to expire. */
const LEGACY_VERDICT_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Clocks differ a little. A verdict dated further in the future came from a wrong clock, and would stay valid for too long. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** A local server that knows the probe answers it soon. One that does not may ignore it, and a longer wait would be in vain. */
const LONGEST_PIPE_PROBE_MS = 3000;

/** A remote server may have to wake up first. */
const LONGEST_REMOTE_PROBE_MS = 10_000;

/** How long the second transport may take, once the first was refused. What answers with a stream of another kind says nothing on it. */
const LONGEST_OTHER_MS = 10_000;

/** Codes of a server that understood the request and refused it. Another attempt would not change the answer. */
const TELLING_REFUSALS = new Set([UNSUPPORTED_PROTOCOL_VERSION, METHOD_NOT_FOUND]);

/** The transports that a remote server may turn out to speak. */
export type RemoteTransport = "http" | "sse";

/** How the era is determined: adopted from an earlier session without a round trip, assumed to be legacy, or probed. */
export type Approach =
  | { readonly kind: "adopt"; readonly discover: JsonObject }
  | { readonly kind: "legacy" | "probe" };

export interface NegotiationOptions {
  readonly server: ResolvedServer;
  readonly clientInfo: Implementation;
  readonly handlers: HostHandlers;
  readonly prior?: PriorHandshake | undefined;
  /** `0` means no limit. */
  readonly connectTimeoutMs: number;
  readonly deadline: Deadline;
  /** Opens a new channel. It is called again for a process that died of the probe, and for another transport. */
  openChannel(transport: RemoteTransport | undefined): Promise<Channel>;
  /** Creates the connection of a channel, with its listeners in place. */
  createConnection(channel: Channel): Connection;
  /** Receives every channel before it is used. The facts of the last one explain an error. */
  onChannel(channel: Channel): void;
  /** The server has refused the question for its era. If it refuses `initialize` as well, the error tells of both. */
  onProbeRefused(error: unknown): void;
}

/** A connection whose handshake is complete. */
export interface Negotiated {
  readonly connection: Connection;
  readonly channel: Channel;
  readonly handshake: Handshake;
  /** The era was adopted from an earlier session, so the server has not confirmed it yet. */
  readonly isUnconfirmed: boolean;
}

/**
 * Opens a channel and determines the transport and the era, with as few starts and round trips as possible. For a remote server,
 * Streamable HTTP comes first; the older HTTP+SSE is tried if the endpoint shows that it does not know that, and comes first if an
 * earlier session has found it out.
 */
export async function negotiate(options: NegotiationOptions): Promise<Negotiated> {
  const { server, deadline, prior } = options;
  if (server.transport === "sse") return negotiateSse(options);
  if (server.transport !== "http") return negotiateEra(undefined, options);
  const isOlder = prior?.era === "legacy" && prior.transport === "sse" && isFreshVerdict(prior, Date.now());
  const [first, second] = isOlder ? [negotiateSse, negotiateHttp] : [negotiateHttp, negotiateSse];
  let channel: Channel | undefined;
  const onChannel = (opened: Channel) => {
    channel = opened;
    options.onChannel(opened);
  };
  try {
    return await first({ ...options, onChannel });
  } catch (error) {
    if (deadline.signal.aborted || channel?.facts().hasAccepted || !mayBeOtherTransport(error)) throw error;
    using limited = createDeadline({
      signal: deadline.signal,
      timeoutMs: fractionOf(options, LONGEST_OTHER_MS),
      aborted: (reason) => reason as Error,
      expired: () => new ChannelFault({ kind: "deadline-expired" }),
    });
    const other = second({ ...options, onChannel, prior: undefined, deadline: limited });
    return await other.catch((secondError: unknown) => {
      const isTelling = deadline.signal.aborted || isOlder || channel?.facts().isConfirmedSse;
      throw isTelling ? secondError : error;
    });
  }
}

/**
 * Whether a refusal may come from an endpoint that speaks the other transport. A client of the older one sends a GET where the newer one
 * sends a POST, and such a server may answer the POST with any status of 4xx (MCP 2025-03-26, transports, "Backwards Compatibility";
 * later versions name 400, 404 and 405).
 */
function mayBeOtherTransport(error: unknown): boolean {
  const status = refusalStatus(error);
  if (isChallenge(error)) return false;
  return status === 501 || (status >= 400 && status < 500 && status !== 408 && status !== 429);
}

/** An endpoint that asks for authorization has understood that a client is there. */
function isChallenge(error: unknown): boolean {
  return (
    error instanceof ChannelFault &&
    error.facts.kind === "http-refused" &&
    error.facts.challenge !== undefined
  );
}

/** `0` if the error is no refusal. */
function refusalStatus(error: unknown): number {
  return error instanceof ChannelFault && error.facts.kind === "http-refused" ? error.facts.status : 0;
}

function negotiateHttp(options: NegotiationOptions): Promise<Negotiated> {
  return negotiateEra("http", options);
}

/**
 * A server that speaks only HTTP+SSE does not know the probe, so the round trip is saved. A verdict that is merely confirmed
 * keeps its date, so that an upgrade of the server is noticed one day.
 */
async function negotiateSse(options: NegotiationOptions): Promise<Negotiated> {
  const now = Date.now();
  const { prior } = options;
  const isKnown = prior?.era === "legacy" && prior.transport === "sse" && isFreshVerdict(prior, now);
  const at = isKnown ? prior.at : now;
  const negotiated = await negotiateEra("sse", { ...options, prior: { era: "legacy", at } });
  const { handshake } = negotiated;
  return {
    ...negotiated,
    handshake: { ...handshake, prior: { era: "legacy", at: handshake.prior.at, transport: "sse" } },
  };
}

/** Each approach is tried at most once, and its channel is closed before the next one. */
async function negotiateEra(
  transport: RemoteTransport | undefined,
  options: NegotiationOptions,
): Promise<Negotiated> {
  const tried = new Set<Approach["kind"]>();
  let approach = firstApproach(options.prior, Date.now(), eraOf(options, transport));
  for (;;) {
    tried.add(approach.kind);
    const channel = await openChannel(transport, options);
    const connection = options.createConnection(channel);
    try {
      const handshake = await raceSignal(
        shakeHands(connection, channel, approach, options),
        options.deadline.signal,
      );
      if (connection.isEnded) throw new ChannelFault({ kind: "output-ended" });
      return { connection, channel, handshake, isUnconfirmed: approach.kind === "adopt" };
    } catch (error) {
      connection.end(undefined);
      await channel.close({ hurry: true });
      const isNamed = eraOf(options, transport) !== undefined && approach.kind !== "adopt";
      const next = isNamed ? undefined : nextApproach(approach, error, channel, options);
      if (!next || tried.has(next.kind)) throw error;
      approach = next;
    }
  }
}

/** The era that the entry names. HTTP+SSE is older than the probe for another one. */
function eraOf({ server }: NegotiationOptions, transport: RemoteTransport | undefined) {
  return transport === "sse" ? undefined : server.limits?.era;
}

/** The approach that an earlier handshake suggests, unless it is of another era than the entry names. */
export function firstApproach(
  prior: PriorHandshake | undefined,
  now: number,
  era?: "legacy" | "modern" | undefined,
): Approach {
  if (era !== undefined && prior?.era !== era) return { kind: era === "legacy" ? "legacy" : "probe" };
  if (era === "legacy") return { kind: "legacy" };
  if (prior?.era === "modern") return { kind: "adopt", discover: prior.discover };
  return { kind: prior && isFreshVerdict(prior, now) ? "legacy" : "probe" };
}

/** Whether the legacy verdict of an earlier handshake is still valid. */
function isFreshVerdict({ at }: PriorHandshake, now: number): boolean {
  return now - at < LEGACY_VERDICT_LIFETIME_MS && at <= now + CLOCK_TOLERANCE_MS;
}

/** A server that refuses a remembered era is probed. A process that may have died of the probe is not probed again. */
function nextApproach(
  approach: Approach,
  error: unknown,
  channel: Channel,
  { deadline }: NegotiationOptions,
): Approach | undefined {
  if (deadline.signal.aborted) return undefined;
  switch (approach.kind) {
    case "adopt":
      return error instanceof ProtocolFault ? { kind: "probe" } : undefined;
    case "legacy":
      return error instanceof RpcError || error instanceof ProtocolFault ? { kind: "probe" } : undefined;
    case "probe":
      return channel.isPipe && (mayHaveDiedOfProbe(channel.facts()) || isConfused(error, channel))
        ? { kind: "legacy" }
        : undefined;
  }
}

/** A process that ended before it read the probe would also end without it, so it is not started again. */
function mayHaveDiedOfProbe({ exit, hasReadInput }: ChannelFacts): boolean {
  return exit !== undefined && hasReadInput !== false;
}

/** A process may refuse `initialize` or hang up because the probe came first. Silence proves nothing: the server may still be starting. */
function isConfused(error: unknown, channel: Channel): boolean {
  const { fault, hasReadInput } = channel.facts();
  const hasHungUp = fault instanceof ChannelFault && fault.facts.kind === "output-ended";
  const hasRefused = error instanceof RpcError && !TELLING_REFUSALS.has(error.code);
  return hasRefused || (hasHungUp && hasReadInput !== false);
}

/** Closes a channel that opens too late; nothing else would close it. */
async function openChannel(
  transport: RemoteTransport | undefined,
  { openChannel: open, onChannel, deadline }: NegotiationOptions,
): Promise<Channel> {
  const opening = open(transport);
  try {
    const channel = await raceSignal(opening, deadline.signal);
    onChannel(channel);
    return channel;
  } catch (error) {
    opening.then(
      (channel) => channel.close({ hurry: true }),
      () => {},
    );
    throw error;
  }
}

async function shakeHands(
  connection: Connection,
  channel: Channel,
  approach: Approach,
  options: NegotiationOptions,
): Promise<Handshake> {
  const { clientInfo, handlers, prior } = options;
  const capabilities = announcedCapabilities(handlers);
  const agree = (handshake: Handshake): Handshake => {
    connection.transport.setProtocolVersion?.(handshake.protocolVersion);
    if (handshake.era === "modern")
      connection.envelope = envelopeOf(MODERN_VERSION, clientInfo, capabilities);
    return handshake;
  };
  // A verdict that was not confirmed by a probe keeps its date, or it would never expire.
  if (approach.kind === "adopt") {
    const adopted = readDiscover(approach.discover, prior?.at ?? Date.now());
    await connection.transport.start();
    return agree(adopted);
  }
  await connection.transport.start();
  let refused: ProbeRefusal | undefined;
  if (approach.kind === "probe") {
    const probed = await probe(
      connection,
      envelopeOf(MODERN_VERSION, clientInfo, capabilities),
      probeTimeout(channel, options),
    );
    if (!(probed instanceof ProbeRefusal)) return agree(readDiscover(probed, Date.now()));
    if (options.server.limits?.era === "modern") throw probed.error;
    refused = probed;
    options.onProbeRefused(probed.error);
  }
  connection.isListening = true;
  const params = {
    protocolVersion: LEGACY_VERSIONS[0],
    capabilities,
    clientInfo: wireImplementation(clientInfo),
  };
  // Whoever was asked to log in for the probe is not asked again.
  const unattended = refused && { wasGranted: true };
  const result = await ask(connection, "initialize", params, { unattended });
  const at = approach.kind === "probe" ? Date.now() : (prior?.at ?? Date.now());
  const handshake = agree(readInitialize(result, at));
  await connection.notify("notifications/initialized");
  return handshake;
}

function probeTimeout(channel: Channel, options: NegotiationOptions): number {
  // Nothing follows if there is no answer.
  if (options.server.limits?.era === "modern") return 0;
  return fractionOf(options, channel.isPipe ? LONGEST_PIPE_PROBE_MS : LONGEST_REMOTE_PROBE_MS);
}

/** A third of what the whole connection may take, and no more than the limit. */
function fractionOf({ connectTimeoutMs }: NegotiationOptions, longestMs: number): number {
  return connectTimeoutMs > 0 ? Math.min(longestMs, connectTimeoutMs / 3) : longestMs;
}
