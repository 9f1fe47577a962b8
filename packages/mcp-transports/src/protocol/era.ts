import {
  createDeadline,
  type Deadline,
  type Handshake,
  type Implementation,
  isMcpError,
  type JsonObject,
  type PriorHandshake,
  type ResolvedServer,
  raceSignal,
} from "@jackfield/mcp-core";
import type { ClientCapabilities } from "@modelcontextprotocol/client";
import {
  METHOD_NOT_FOUND,
  ProtocolFault,
  RpcError,
  TransportFault,
  UNSUPPORTED_PROTOCOL_VERSION,
} from "../faults.ts";
import type { ConnectionFacts, Transport } from "../transport.ts";
import type { Connection } from "./connection.ts";
import {
  envelopeOf,
  LEGACY_VERSIONS,
  MODERN_VERSION,
  readDiscover,
  readInitialize,
  wireImplementation,
} from "./handshake.ts";
import { ask, probe } from "./probe.ts";

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
  /** What the client announces. */
  readonly capabilities: ClientCapabilities;
  readonly prior?: PriorHandshake | undefined;
  /** `0` means no limit. */
  readonly connectTimeoutMs: number;
  readonly deadline: Deadline;
  /**
   * Opens a new transport. It is called again for a process that died of the probe, and for another transport. `isPublic`: nobody is
   * asked for credentials.
   */
  openTransport(kind: RemoteTransport | undefined, isPublic?: boolean): Promise<Transport>;
  /** Creates the connection of a transport, with its listeners in place. */
  createConnection(transport: Transport): Connection;
  /** Receives every transport before it is used. The facts of the last one explain an error. */
  onTransport(transport: Transport): void;
  /** Processes that have ended without an answer whatever came first, so that the probe is not to blame. They are started once. */
  readonly endingAnyway: Set<string>;
  /** The server has refused the question for its era. If it refuses `initialize` as well, the error tells of both. */
  onProbeRefused(error: unknown): void;
}

/** A connection whose handshake is complete. */
export interface Negotiated {
  readonly connection: Connection;
  readonly handshake: Handshake;
  /** The era was adopted from an earlier session, so the server has not confirmed it yet. */
  readonly isUnconfirmed: boolean;
}

/**
 * Opens a transport and determines the transport and the era, with as few starts and round trips as possible. For a remote server,
 * Streamable HTTP comes first; the older HTTP+SSE is tried if the endpoint shows that it does not know that, and comes first if an
 * earlier session has found it out.
 */
export async function negotiate(options: NegotiationOptions): Promise<Negotiated> {
  const { server, deadline, prior } = options;
  if (server.transport === "sse") return negotiateSse(options);
  if (server.transport !== "http") return negotiateEra(undefined, options);
  const negotiateHttp = (tried: NegotiationOptions) => negotiateEra("http", tried);
  const isOlder = isSseVerdict(prior, Date.now());
  const [first, second] = isOlder ? [negotiateSse, negotiateHttp] : [negotiateHttp, negotiateSse];
  let transport: Transport | undefined;
  const onTransport = (opened: Transport) => {
    transport = opened;
    options.onTransport(opened);
  };
  try {
    return await first({ ...options, onTransport });
  } catch (error) {
    if (deadline.signal.aborted || transport?.facts().hasAccepted || !mayBeOtherTransport(error)) throw error;
    using limited = createDeadline({
      signal: deadline.signal,
      timeoutMs: fractionOf(options, LONGEST_OTHER_MS),
      aborted: (reason) => reason as Error,
      expired: () => new TransportFault({ kind: "deadline-expired" }),
    });
    // A challenge that could not be met is not put to anybody a second time.
    const open = (kind: RemoteTransport | undefined) => options.openTransport(kind, isChallenge(error));
    const other = second({
      ...options,
      onTransport,
      openTransport: open,
      prior: undefined,
      deadline: limited,
    });
    return await other.catch((secondError: unknown) => {
      const isTelling = deadline.signal.aborted || isOlder || transport?.facts().isConfirmedSse;
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
  const { status = 0 } = refusalIn(error) ?? {};
  if (isChallenge(error) || status === 501) return true;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Whether an endpoint asks for authorization, and nobody could give it. */
function isChallenge(error: unknown): boolean {
  return isMcpError(error, "MCP_AUTH_REQUIRED") || refusalIn(error)?.challenge !== undefined;
}

function refusalIn(error: unknown) {
  return error instanceof TransportFault && error.facts.kind === "http-refused" ? error.facts : undefined;
}

/**
 * A server that speaks only HTTP+SSE does not know the probe, so the round trip is saved. A verdict that is merely confirmed
 * keeps its date, so that an upgrade of the server is noticed one day.
 */
async function negotiateSse(options: NegotiationOptions): Promise<Negotiated> {
  const now = Date.now();
  const { prior } = options;
  const at = isSseVerdict(prior, now) ? prior.at : now;
  const negotiated = await negotiateEra("sse", { ...options, prior: { era: "legacy", at } });
  const { handshake } = negotiated;
  return {
    ...negotiated,
    handshake: { ...handshake, prior: { era: "legacy", at: handshake.prior.at, transport: "sse" } },
  };
}

/** Each approach is tried at most once, and its transport is closed before the next one. */
async function negotiateEra(
  kind: RemoteTransport | undefined,
  options: NegotiationOptions,
): Promise<Negotiated> {
  const tried = new Set<Approach["kind"]>();
  const process = processOf(options.server);
  const isEndingAnyway = options.prior === undefined && options.endingAnyway.has(process);
  let approach = firstApproach(
    options.prior,
    Date.now(),
    eraOf(options, kind) ?? (isEndingAnyway ? "legacy" : undefined),
  );
  for (;;) {
    tried.add(approach.kind);
    const transport = await openTransport(kind, options);
    const connection = options.createConnection(transport);
    try {
      const handshake = await raceSignal(shakeHands(connection, approach, options), options.deadline.signal);
      if (connection.isEnded) throw new TransportFault({ kind: "output-ended" });
      return { connection, handshake, isUnconfirmed: approach.kind === "adopt" };
    } catch (error) {
      connection.end(undefined);
      await transport.close({ hurry: true });
      const isNamed = eraOf(options, kind) !== undefined && approach.kind !== "adopt";
      const next = isNamed ? undefined : nextApproach(approach, error, transport, options);
      if (approach.kind === "legacy" && tried.has("probe") && mayHaveDiedOfProbe(transport.facts()))
        options.endingAnyway.add(process);
      if (!next || tried.has(next.kind)) throw error;
      approach = next;
    }
  }
}

/** What a process is started by; empty for any other server. */
function processOf(server: ResolvedServer): string {
  return server.transport === "stdio" ? JSON.stringify([server.command, server.args, server.cwd]) : "";
}

/** The era that the entry names. HTTP+SSE is older than the probe for another one. */
function eraOf({ server }: NegotiationOptions, kind: RemoteTransport | undefined) {
  return kind === "sse" ? undefined : server.limits?.era;
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

/** Whether an earlier session has found out that the server speaks HTTP+SSE, not too long ago. */
function isSseVerdict(prior: PriorHandshake | undefined, now: number): prior is PriorHandshake {
  return prior?.era === "legacy" && prior.transport === "sse" && isFreshVerdict(prior, now);
}

/** Whether the legacy verdict of an earlier handshake is still valid. */
function isFreshVerdict({ at }: PriorHandshake, now: number): boolean {
  return now - at < LEGACY_VERDICT_LIFETIME_MS && at <= now + CLOCK_TOLERANCE_MS;
}

/** A server that refuses a remembered era is probed. A process that may have died of the probe is not probed again. */
function nextApproach(
  approach: Approach,
  error: unknown,
  transport: Transport,
  { deadline }: NegotiationOptions,
): Approach | undefined {
  if (deadline.signal.aborted) return undefined;
  switch (approach.kind) {
    case "adopt":
      return error instanceof ProtocolFault ? { kind: "probe" } : undefined;
    case "legacy":
      return error instanceof RpcError || error instanceof ProtocolFault ? { kind: "probe" } : undefined;
    case "probe":
      return transport.isPipe && (mayHaveDiedOfProbe(transport.facts()) || isConfused(error, transport))
        ? { kind: "legacy" }
        : undefined;
  }
}

/**
 * A process that ended and had answered nothing may have died of the probe. One that would have ended anyway is then started a second
 * time: nothing tells the two apart, and only the first attempt has to find out.
 */
function mayHaveDiedOfProbe({ exit, hasAnswered }: ConnectionFacts): boolean {
  return exit !== undefined && !hasAnswered;
}

/** A process may refuse `initialize` or hang up because the probe came first. Silence proves nothing: the server may still be starting. */
function isConfused(error: unknown, transport: Transport): boolean {
  const { fault } = transport.facts();
  const hasHungUp = fault instanceof TransportFault && fault.facts.kind === "output-ended";
  return hasHungUp || (error instanceof RpcError && !TELLING_REFUSALS.has(error.code));
}

/** Closes a transport that opens too late; nothing else would close it. */
async function openTransport(
  kind: RemoteTransport | undefined,
  { openTransport: open, onTransport, deadline }: NegotiationOptions,
): Promise<Transport> {
  const opening = open(kind);
  try {
    const transport = await raceSignal(opening, deadline.signal);
    onTransport(transport);
    return transport;
  } catch (error) {
    opening.then(
      (transport) => transport.close({ hurry: true }),
      () => {},
    );
    throw error;
  }
}

async function shakeHands(
  connection: Connection,
  approach: Approach,
  options: NegotiationOptions,
): Promise<Handshake> {
  const { transport } = connection;
  const { clientInfo, capabilities, prior } = options;
  const agree = (handshake: Handshake): Handshake => {
    transport.setProtocolVersion?.(handshake.protocolVersion);
    connection.protocolVersion = handshake.protocolVersion;
    if (handshake.era === "modern")
      connection.envelope = envelopeOf(MODERN_VERSION, clientInfo, capabilities);
    return handshake;
  };
  // A verdict that was not confirmed by a probe keeps its date, or it would never expire.
  if (approach.kind === "adopt") {
    const adopted = readDiscover(approach.discover, prior?.at ?? Date.now());
    await transport.start();
    return agree(adopted);
  }
  await transport.start();
  let wasRefused = false;
  if (approach.kind === "probe") {
    const probed = await probe(
      connection,
      envelopeOf(MODERN_VERSION, clientInfo, capabilities),
      probeTimeout(transport, options),
    );
    if ("discover" in probed) return agree(readDiscover(probed.discover, Date.now()));
    if (options.server.limits?.era === "modern") throw probed.refusal;
    wasRefused = true;
    options.onProbeRefused(probed.refusal);
  }
  connection.isListening = true;
  const params = {
    protocolVersion: LEGACY_VERSIONS[0],
    capabilities,
    clientInfo: wireImplementation(clientInfo),
  };
  // Whoever was asked to log in for the probe is not asked again.
  const unattended = wasRefused ? { wasGranted: true } : undefined;
  const result = await ask(connection, "initialize", params, { unattended });
  const at = approach.kind === "probe" ? Date.now() : (prior?.at ?? Date.now());
  const handshake = agree(readInitialize(result, at));
  await connection.notify("notifications/initialized");
  return handshake;
}

function probeTimeout(transport: Transport, options: NegotiationOptions): number {
  // Nothing follows if there is no answer.
  if (options.server.limits?.era === "modern") return 0;
  return fractionOf(options, transport.isPipe ? LONGEST_PIPE_PROBE_MS : LONGEST_REMOTE_PROBE_MS);
}

/** A third of what the whole connection may take, and no more than the limit. */
function fractionOf({ connectTimeoutMs }: NegotiationOptions, longestMs: number): number {
  return connectTimeoutMs > 0 ? Math.min(longestMs, connectTimeoutMs / 3) : longestMs;
}
