import type { Handshake, Implementation, JsonObject, PriorHandshake } from "@jackfield/mcp-core";
import type { Client, ConnectOptions, ProtocolError } from "@modelcontextprotocol/client";
import type { Channel, ChannelFacts } from "./channel.ts";
import { ChannelFault } from "./channel-fault.ts";
import type { Approach } from "./handshake/approach.ts";
import {
  type EarlyHandshake,
  type EarlyHandshakeOptions,
  shakeHandsEarly,
} from "./handshake/early-handshake.ts";
import type { OpeningDeadline } from "./opening-deadline.ts";
import { METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION } from "./rpc-codes.ts";
import { loadedSdk, loadSdk, NO_SDK_TIMEOUT_MS, type Sdk } from "./sdk.ts";
import { type ClientAccess, connectedClient, laterClient, sdkPrior } from "./session/client-access.ts";

/** A server that answers `initialize` today may be upgraded tomorrow and would still answer it, so a legacy verdict must end. */
const LEGACY_VERDICT_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Clocks differ a little. A verdict from further ahead was dated by a clock that was wrong, and would be believed until then. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** A local server that knows the probe answers it soon; one that does not may ignore it, and is then waited for in vain. */
const LONGEST_PIPE_PROBE_MS = 3000;

/** What a server of another era, or of none that we know, says: it has understood, and there is nothing more to ask. */
const TELLING_REFUSALS = new Set([UNSUPPORTED_PROTOCOL_VERSION, METHOD_NOT_FOUND]);

export interface NegotiationOptions {
  /** Makes a fresh channel, because a process that died of the probe must be started again. */
  openChannel(): Promise<Channel>;
  /** Makes a fresh client with its handlers in place; `probeTimeoutMs` is how long silence is taken for silence. */
  createClient(sdk: Sdk, probeTimeoutMs: number): Client;
  /** What the client says of itself, and who hears of what happens before there is a client. */
  readonly early: Pick<EarlyHandshakeOptions, "clientInfo" | "capabilities" | "onNotification" | "onProblem">;
  /** Hears of every channel before it is used: the last one is what an error is explained with. */
  onChannel(channel: Channel): void;
  readonly prior?: PriorHandshake | undefined;
  /** `0` means no limit. */
  readonly connectTimeoutMs: number;
  readonly deadline: OpeningDeadline;
}

/** A conversation whose handshake is made. */
export interface Negotiated {
  readonly clients: ClientAccess;
  readonly channel: Channel;
  readonly handshake: Handshake;
  /** The era was taken over from an earlier session, so the server has not confirmed it yet. */
  readonly isUnconfirmed: boolean;
}

/**
 * Opens a channel and settles the era, with as few starts and round trips as what is known allows. Each approach is tried
 * at most once; whatever a failed one opened is closed before the next.
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

/** What an earlier handshake suggests. */
export function firstApproach(prior: PriorHandshake | undefined, now: number): Approach {
  if (prior?.era === "modern") return { kind: "adopt", discover: prior.discover };
  return { kind: prior && isFreshVerdict(prior, now) ? "legacy" : "probe" };
}

/** Whether what an earlier handshake found out of a legacy server is still believed. */
export function isFreshVerdict({ at }: PriorHandshake, now: number): boolean {
  return now - at < LEGACY_VERDICT_LIFETIME_MS && at <= now + CLOCK_TOLERANCE_MS;
}

/** A remembered era that is refused is asked for anew; a process that may have died of being asked is not asked again. */
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
      return isRefusal(error) ? { kind: "probe" } : undefined;
    case "probe":
      return channel.isPipe && (mayHaveDiedOfProbe(channel.facts()) || isConfused(error, channel))
        ? { kind: "legacy" }
        : undefined;
  }
}

/** A process that ended without having read the question would end without it, too: it is not started again. */
function mayHaveDiedOfProbe({ exit, hasReadInput }: ChannelFacts): boolean {
  return exit !== undefined && hasReadInput !== false;
}

/**
 * A process that refuses to be initialized, or hangs up, may do so because something else came first. Silence is no sign: a server may still be
 * starting.
 */
function isConfused(error: unknown, channel: Channel): boolean {
  const { fault, hasReadInput } = channel.facts();
  const hasHungUp = fault instanceof ChannelFault && fault.facts.kind === "output-ended";
  const hasRefused = isRefusal(error) && !TELLING_REFUSALS.has(error.code);
  return hasRefused || (hasHungUp && hasReadInput !== false);
}

function isRefusal(error: unknown): error is ProtocolError {
  const sdk = loadedSdk();
  return sdk !== undefined && error instanceof sdk.ProtocolError;
}

function isNegotiationError(error: unknown): boolean {
  const sdk = loadedSdk();
  return (
    sdk !== undefined && error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.EraNegotiationFailed
  );
}

/** A channel that comes too late is closed by nobody else. */
async function openChannel({ openChannel: open, onChannel, deadline }: NegotiationOptions): Promise<Channel> {
  const opening = open();
  try {
    const channel = await deadline.race(opening);
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
  // The date of a verdict that was not asked for again stays, or it would never grow old.
  const learnedAt = () => (approach.kind === "probe" ? Date.now() : (prior?.at ?? Date.now()));
  const isUnconfirmed = approach.kind === "adopt";
  const begun = await deadline.race(
    shakeHandsEarly(channel.transport, { ...early, approach, probeTimeoutMs, learnedAt }),
  );
  if (begun?.handshake) {
    const { transport, handshake } = begun;
    const create = (sdk: Sdk) => createClient(sdk, probeTimeoutMs);
    const clients = laterClient({ transport, prior: handshake.prior, createClient: create });
    return { clients, channel, handshake, isUnconfirmed };
  }
  const sdk = await deadline.race(loadSdk());
  const client = createClient(sdk, probeTimeoutMs);
  const known = priorFor(approach, begun);
  const connecting = client.connect(begun?.transport ?? channel.transport, {
    timeout: NO_SDK_TIMEOUT_MS,
    signal: deadline.signal,
    ...(known && { prior: known }),
  });
  await deadline.race(connecting);
  begun?.transport.handOver();
  const clients = connectedClient({ sdk, client });
  return { clients, channel, handshake: readHandshake(client, learnedAt()), isUnconfirmed };
}

/** Over HTTP silence is no answer, and the SDK takes it for an outage: there the whole deadline applies, which is ours. */
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
  // The transport ended in the same moment: the SDK has forgotten everything again.
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
