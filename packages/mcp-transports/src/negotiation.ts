import {
  type Deadline,
  type Handshake,
  type Implementation,
  type JsonObject,
  type PriorHandshake,
  raceSignal,
} from "@jackfield/mcp-core";
import type { Client, ConnectOptions, ProtocolError } from "@modelcontextprotocol/client";
import type { Channel, ChannelFacts } from "./channel.ts";
import { ChannelFault } from "./channel-fault.ts";
import type { Approach } from "./handshake/approach.ts";
import {
  type EarlyHandshake,
  type EarlyHandshakeOptions,
  shakeHandsEarly,
} from "./handshake/early-handshake.ts";
import { METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION } from "./rpc-codes.ts";
import { loadedSdk, loadSdk, NO_SDK_TIMEOUT_MS, type Sdk } from "./sdk.ts";
import { type ClientAccess, connectedClient, laterClient, sdkPrior } from "./session/client-access.ts";

/** A server may be upgraded and still answer `initialize`, so a legacy verdict has to expire. */
const LEGACY_VERDICT_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Clocks differ a little. A verdict dated further in the future came from a wrong clock, and would stay valid for too long. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** A local server that knows the probe answers it soon. One that does not may ignore it, and a longer wait would be in vain. */
const LONGEST_PIPE_PROBE_MS = 3000;

/** Codes of a server that understood the request and refused it. Another attempt would not change the answer. */
const TELLING_REFUSALS = new Set([UNSUPPORTED_PROTOCOL_VERSION, METHOD_NOT_FOUND]);

export interface NegotiationOptions {
  /** Opens a new channel. It is called again for a process that died of the probe. */
  openChannel(): Promise<Channel>;
  /** Creates a client with its handlers in place. `probeTimeoutMs`: how long the client waits for the answer to the probe. */
  createClient(sdk: Sdk, probeTimeoutMs: number): Client;
  /** How the client introduces itself, and the listeners for what happens before the SDK's client exists. */
  readonly early: Pick<EarlyHandshakeOptions, "clientInfo" | "capabilities" | "onNotification" | "onProblem">;
  /** Receives every channel before it is used. The facts of the last one explain an error. */
  onChannel(channel: Channel): void;
  readonly prior?: PriorHandshake | undefined;
  /** `0` means no limit. */
  readonly connectTimeoutMs: number;
  readonly deadline: Deadline;
}

/** A connection whose handshake is complete. */
export interface Negotiated {
  readonly clients: ClientAccess;
  readonly channel: Channel;
  readonly handshake: Handshake;
  /** The era was adopted from an earlier session, so the server has not confirmed it yet. */
  readonly isUnconfirmed: boolean;
}

/**
 * Opens a channel and determines the era, with as few starts and round trips as possible. Each approach is tried at most once, and its
 * channel is closed before the next one.
 */
export async function negotiate(options: NegotiationOptions): Promise<Negotiated> {
  const tried = new Set<Approach["kind"]>();
  let approach: Approach | undefined = firstApproach(options.prior, Date.now());
  for (;;) {
    tried.add(approach.kind);
    const channel = await openChannel(options);
    try {
      return await shakeHands(channel, approach, options);
    } catch (error) {
      await channel.close({ hurry: true });
      const next: Approach | undefined = nextApproach(approach, error, channel, options);
      if (!next || tried.has(next.kind)) throw error;
      approach = next;
    }
  }
}

/** The approach that an earlier handshake suggests. */
export function firstApproach(prior: PriorHandshake | undefined, now: number): Approach {
  if (prior?.era === "modern") return { kind: "adopt", discover: prior.discover };
  return { kind: prior && isFreshVerdict(prior, now) ? "legacy" : "probe" };
}

/** Whether the legacy verdict of an earlier handshake is still valid. */
export function isFreshVerdict({ at }: PriorHandshake, now: number): boolean {
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
      return isNegotiationError(error) ? { kind: "probe" } : undefined;
    case "legacy":
      return isProtocolError(error) ? { kind: "probe" } : undefined;
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
  const hasRefused = isProtocolError(error) && !TELLING_REFUSALS.has(error.code);
  return hasRefused || (hasHungUp && hasReadInput !== false);
}

function isProtocolError(error: unknown): error is ProtocolError {
  const sdk = loadedSdk();
  return sdk !== undefined && error instanceof sdk.ProtocolError;
}

function isNegotiationError(error: unknown): boolean {
  const sdk = loadedSdk();
  return (
    sdk !== undefined && error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.EraNegotiationFailed
  );
}

/** Closes a channel that opens too late; nothing else would close it. */
async function openChannel({ openChannel: open, onChannel, deadline }: NegotiationOptions): Promise<Channel> {
  const opening = open();
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
  channel: Channel,
  approach: Approach,
  options: NegotiationOptions,
): Promise<Negotiated> {
  const { deadline, prior, early, createClient } = options;
  const probeTimeoutMs = probeTimeout(channel, options.connectTimeoutMs);
  // A verdict that was not confirmed by a probe keeps its date, or it would never expire.
  const learnedAt = () => (approach.kind === "probe" ? Date.now() : (prior?.at ?? Date.now()));
  const isUnconfirmed = approach.kind === "adopt";
  const begun = await raceSignal(
    shakeHandsEarly(channel.transport, { ...early, approach, probeTimeoutMs, learnedAt }),
    deadline.signal,
  );
  if (begun?.handshake) {
    const { transport, handshake } = begun;
    const create = (sdk: Sdk) => createClient(sdk, probeTimeoutMs);
    const clients = laterClient({ transport, prior: handshake.prior, createClient: create });
    return { clients, channel, handshake, isUnconfirmed };
  }
  const sdk = await raceSignal(loadSdk(), deadline.signal);
  const client = createClient(sdk, probeTimeoutMs);
  const known = priorFor(approach, begun);
  const connecting = client.connect(begun?.transport ?? channel.transport, {
    timeout: NO_SDK_TIMEOUT_MS,
    signal: deadline.signal,
    ...(known && { prior: known }),
  });
  await raceSignal(connecting, deadline.signal);
  begun?.transport.deliverKept();
  const clients = connectedClient({ sdk, client });
  return { clients, channel, handshake: readHandshake(client, learnedAt()), isUnconfirmed };
}

/** Over HTTP, silence does not mean a legacy server, and the SDK would report an outage. So only our connect deadline applies there. */
function probeTimeout(channel: Channel, connectTimeoutMs: number): number {
  if (!channel.isPipe) return NO_SDK_TIMEOUT_MS;
  return connectTimeoutMs > 0 ? Math.min(LONGEST_PIPE_PROBE_MS, connectTimeoutMs / 3) : LONGEST_PIPE_PROBE_MS;
}

function priorFor(approach: Approach, begun: EarlyHandshake | undefined): ConnectOptions["prior"] {
  if (approach.kind === "adopt") return sdkPrior({ era: "modern", at: 0, discover: approach.discover });
  return begun?.isLegacy ? { kind: "legacy" } : undefined;
}

function readHandshake(client: Client, at: number): Handshake {
  const era = client.getProtocolEra();
  const protocolVersion = client.getNegotiatedProtocolVersion();
  // The transport ended at the same moment, and the SDK has already cleared its state.
  if (!era || !protocolVersion) throw new ChannelFault({ kind: "output-ended" });
  const discover = client.getDiscoverResult();
  return {
    era,
    protocolVersion,
    serverInfo: client.getServerVersion() as Implementation | undefined,
    capabilities: (client.getServerCapabilities() ?? {}) as JsonObject,
    instructions: client.getInstructions(),
    prior:
      era === "modern" && discover ? { era, at, discover: discover as JsonObject } : { era: "legacy", at },
  };
}
