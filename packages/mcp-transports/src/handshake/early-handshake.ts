import { type Handshake, type Implementation, isRecord } from "@jackfield/mcp-core";
import type { ClientCapabilities, Transport } from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";
import { StatusRefusal } from "../http/refusal-error.ts";
import { isAnswer } from "../message-check.ts";
import { UNSUPPORTED_PROTOCOL_VERSION } from "../rpc-codes.ts";
import { senderOf } from "../session/envelope.ts";
import type { Approach } from "./approach.ts";
import { LEGACY_VERSIONS, legacyHandshake, MODERN_VERSION, modernHandshake } from "./plain-handshake.ts";
import {
  type Outcome,
  type RehearsalOptions,
  type RehearsedTransport,
  rehearse,
} from "./rehearsed-transport.ts";

export interface EarlyHandshakeOptions extends RehearsalOptions {
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities;
  readonly approach: Approach;
  /** How long to wait for the answer to the probe before the server counts as legacy, in milliseconds. */
  readonly probeTimeoutMs: number;
  /** The time at which the era was learned, for `prior.at`. */
  learnedAt(): number;
}

/** The state of a handshake that was begun without the SDK. */
export interface EarlyHandshake {
  readonly transport: RehearsedTransport;
  /** Whether `initialize` was sent, as to a legacy server. */
  readonly isLegacy: boolean;
  /** Missing if the SDK has to interpret the answer, which is a refusal or has an unusual form. */
  readonly handshake?: Handshake | undefined;
}

/**
 * Makes the handshake of the SDK's client, with the same messages, but without loading the SDK, which takes longer than most servers take
 * to start. What it does not recognise is left to the SDK. The SDK is given the server's answers, so that nothing is asked twice.
 *
 * @returns `undefined` if the SDK has to judge a remembered handshake; nothing has been started then
 */
export async function shakeHandsEarly(
  wire: Transport,
  { clientInfo, capabilities, approach, probeTimeoutMs, learnedAt, ...hearing }: EarlyHandshakeOptions,
): Promise<EarlyHandshake | undefined> {
  const adopted = approach.kind === "adopt" ? modernHandshake(approach.discover, learnedAt) : undefined;
  if (approach.kind === "adopt" && !adopted) return undefined;
  const transport = await rehearse(wire, hearing);
  const modern = (handshake: Handshake | undefined): EarlyHandshake => {
    if (handshake) wire.setProtocolVersion?.(handshake.protocolVersion);
    return { transport, isLegacy: false, handshake };
  };
  if (adopted) return modern(adopted);
  if (approach.kind === "probe") {
    const params = { _meta: senderOf(MODERN_VERSION, clientInfo, capabilities) };
    const probe = { id: "server-discover-probe-1", method: "server/discover", params };
    const outcome = await transport.ask(probe, probeTimeoutMs);
    if (!showsLegacyEra(outcome)) return modern(modernHandshake(resultOf(outcome), learnedAt));
  }
  const params = { protocolVersion: LEGACY_VERSIONS[0], capabilities, clientInfo };
  const outcome = await transport.ask({ id: 0, method: "initialize", params });
  const handshake = legacyHandshake(resultOf(outcome), learnedAt);
  if (handshake) {
    wire.setProtocolVersion?.(handshake.protocolVersion);
    await transport.tellInitialized();
    if (transport.isEnded) throw new ChannelFault({ kind: "output-ended" });
  }
  return { transport, isLegacy: true, handshake };
}

/** A server that refuses the probe, or ignores it, is a legacy one. */
function showsLegacyEra(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case "silent":
      return true;
    case "closed":
      return false;
    case "failed":
      return outcome.error instanceof StatusRefusal && isLegacyRefusal(outcome.error);
    case "answer":
      return isAnswer(outcome.answer) && isLegacyError(outcome.answer.error);
  }
}

/** A 4xx status means that the endpoint does not know the probe, or wants a session first. Any other status shows nothing about the era. */
function isLegacyRefusal({ status, data }: StatusRefusal): boolean {
  const isBroken = status < 400 || status >= 500;
  return !isBroken && !data.text?.includes(String(UNSUPPORTED_PROTOCOL_VERSION));
}

function isLegacyError(error: unknown): boolean {
  return isRecord(error) && error.code !== UNSUPPORTED_PROTOCOL_VERSION;
}

function resultOf(outcome: Outcome): unknown {
  return outcome.kind === "answer" && isAnswer(outcome.answer) ? outcome.answer.result : undefined;
}
