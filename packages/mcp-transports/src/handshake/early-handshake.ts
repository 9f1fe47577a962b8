import type { Handshake, Implementation, JsonObject } from "@jackfield/mcp-core";
import type { ClientCapabilities, Transport } from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";
import { StatusRefusal } from "../http/refusal-error.ts";
import { isAnswer } from "../message-check.ts";
import { ENVELOPE_KEYS } from "../session/envelope-keys.ts";
import { isPlainMeta, isRecord } from "../session/plain-result.ts";
import type { Approach } from "./approach.ts";
import {
  type Outcome,
  type RehearsalOptions,
  type RehearsedTransport,
  rehearse,
} from "./rehearsed-transport.ts";

/** The newest first (MCP, "Versioning"): the first is offered, any is accepted. As the SDK has them. */
export const LEGACY_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** The version that a server is asked for before it is taken for a legacy one. */
const MODERN_VERSION = "2026-07-28";

/** JSON-RPC code for a protocol version the server does not speak (MCP 2026-07-28): it speaks of eras, so it has one. */
const UNSUPPORTED_PROTOCOL_VERSION = -32022;

export interface EarlyHandshakeOptions extends RehearsalOptions {
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities;
  readonly approach: Approach;
  /** How long silence is no answer, for a server that is asked for its era. */
  readonly probeTimeoutMs: number;
  /** When what is learned of the era was learned. */
  learnedAt(): number;
}

/** How far it came without the SDK. */
export interface EarlyHandshake {
  readonly transport: RehearsedTransport;
  /** Whether the server was asked to be initialized, as a legacy one is. */
  readonly isLegacy: boolean;
  /** Missing where the SDK has to say what became of it: it was refused, or is of another kind than nearly every one. */
  readonly handshake?: Handshake | undefined;
}

/**
 * Shakes hands as the SDK's client does, with the same messages, and without loading it, which takes longer than most servers take to
 * start. What it does not recognise at once is left to the SDK, which is told what the server has said, so that nothing is asked twice.
 */
export async function shakeHandsEarly(
  wire: Transport,
  { clientInfo, capabilities, approach, probeTimeoutMs, learnedAt, onNotification }: EarlyHandshakeOptions,
): Promise<EarlyHandshake> {
  const transport = await rehearse(wire, { onNotification });
  const modern = (discover: unknown): EarlyHandshake => {
    const handshake = modernHandshake(discover, learnedAt);
    if (handshake) wire.setProtocolVersion?.(MODERN_VERSION);
    return { transport, isLegacy: false, handshake };
  };
  if (approach.kind === "adopt") return modern(approach.discover);
  if (approach.kind === "probe") {
    const sender = {
      [ENVELOPE_KEYS.protocolVersion]: MODERN_VERSION,
      [ENVELOPE_KEYS.clientInfo]: clientInfo,
      [ENVELOPE_KEYS.clientCapabilities]: capabilities,
    };
    const probe = { id: "server-discover-probe-1", method: "server/discover", params: { _meta: sender } };
    const outcome = await transport.ask(probe as never, probeTimeoutMs);
    if (!showsLegacyEra(outcome)) return modern(resultOf(outcome));
  }
  const params = { protocolVersion: LEGACY_VERSIONS[0], capabilities, clientInfo };
  const outcome = await transport.ask({ id: 0, method: "initialize", params });
  const result = plainInitializeResult(resultOf(outcome));
  if (result === undefined) return { transport, isLegacy: true };
  const { protocolVersion, capabilities: announced, serverInfo, instructions } = result;
  wire.setProtocolVersion?.(protocolVersion);
  await transport.tellInitialized();
  if (transport.isEnded) throw new ChannelFault({ kind: "output-ended" });
  const handshake: Handshake = {
    era: "legacy",
    protocolVersion,
    serverInfo,
    capabilities: announced,
    instructions,
    prior: { era: "legacy", at: learnedAt() },
  };
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
      return isAnswer(outcome.answer) && isRefusal(outcome.answer.error);
  }
}

/** An endpoint refuses by its status what is no part of a session, or has a session to be asked within; one that is broken shows nothing. */
function isLegacyRefusal({ status, data }: StatusRefusal): boolean {
  const isBroken = status < 400 || status >= 500;
  return !isBroken && !data.text?.includes(String(UNSUPPORTED_PROTOCOL_VERSION));
}

function isRefusal(error: unknown): boolean {
  return isRecord(error) && error.code !== UNSUPPORTED_PROTOCOL_VERSION;
}

function resultOf(outcome: Outcome): unknown {
  return outcome.kind === "answer" && isAnswer(outcome.answer) ? outcome.answer.result : undefined;
}

/** The handshake that an answer to `server/discover` makes, if there is nothing in it but what the SDK's schema would take over as it is. */
function modernHandshake(discover: unknown, learnedAt: () => number): Handshake | undefined {
  if (!isRecord(discover)) return undefined;
  const { supportedVersions, capabilities, instructions, _meta = {}, ...more } = discover;
  const { resultType = "complete", ttlMs = 0, cacheScope = "private", ...unknown } = more;
  const serverInfo = isRecord(_meta) ? _meta[ENVELOPE_KEYS.serverInfo] : undefined;
  const isPlain =
    Object.keys(unknown).length === 0 &&
    Array.isArray(supportedVersions) &&
    supportedVersions.every((version) => typeof version === "string") &&
    supportedVersions.includes(MODERN_VERSION) &&
    isPlainCapabilities(capabilities) &&
    (instructions === undefined || typeof instructions === "string") &&
    isPlainMeta(_meta) &&
    (serverInfo === undefined || isPlainImplementation(serverInfo)) &&
    resultType === "complete" &&
    Number.isSafeInteger(ttlMs) &&
    (ttlMs as number) >= 0 &&
    (cacheScope === "private" || cacheScope === "public");
  if (!isPlain) return undefined;
  return {
    era: "modern",
    protocolVersion: MODERN_VERSION,
    serverInfo: serverInfo as Implementation | undefined,
    capabilities: capabilities as JsonObject,
    instructions: instructions as string | undefined,
    prior: { era: "modern", at: learnedAt(), discover: { ...discover, ttlMs, cacheScope } },
  };
}

interface InitializeResult {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: Implementation;
  readonly instructions: string | undefined;
}

/** An answer to `initialize` that has nothing in it but what the SDK's schema would take over as it is. */
function plainInitializeResult(result: unknown): InitializeResult | undefined {
  if (!isRecord(result)) return undefined;
  const { protocolVersion, capabilities, serverInfo, instructions, ...more } = result;
  const isPlain =
    Object.keys(more).length === 0 &&
    typeof protocolVersion === "string" &&
    LEGACY_VERSIONS.includes(protocolVersion) &&
    isPlainImplementation(serverInfo) &&
    isPlainCapabilities(capabilities) &&
    (instructions === undefined || typeof instructions === "string");
  return isPlain ? (result as unknown as InitializeResult) : undefined;
}

function isPlainImplementation(value: unknown): boolean {
  if (!isRecord(value) || typeof value.name !== "string" || typeof value.version !== "string") return false;
  return Object.entries(value).every(
    ([member, text]) => IMPLEMENTATION_TEXTS.has(member) && typeof text === "string",
  );
}

const IMPLEMENTATION_TEXTS = new Set(["name", "version", "title", "description", "websiteUrl"]);

function isPlainCapabilities(value: unknown): boolean {
  return isRecord(value) && Object.entries(value).every(([name, facts]) => isPlainCapability(name, facts));
}

function isPlainCapability(name: string, facts: unknown): boolean {
  if (!isRecord(facts)) return false;
  if (OPEN_CAPABILITIES.has(name)) return true;
  if (MAPS_OF_CAPABILITIES.has(name)) return Object.values(facts).every(isRecord);
  const flags = FLAGS[name];
  if (flags === undefined) return false;
  return Object.entries(facts).every(([flag, is]) => flags.includes(flag) && typeof is === "boolean");
}

const OPEN_CAPABILITIES = new Set(["logging", "completions"]);
const MAPS_OF_CAPABILITIES = new Set(["experimental", "extensions"]);
const FLAGS: { readonly [capability: string]: readonly string[] | undefined } = {
  tools: ["listChanged"],
  prompts: ["listChanged"],
  resources: ["subscribe", "listChanged"],
};
