import type { Handshake, Implementation, JsonObject } from "@jackfield/mcp-core";
import { ENVELOPE_KEYS } from "../session/envelope-keys.ts";
import { isPlainMeta, isRecord } from "../session/plain-result.ts";

// An answer is plain if there is nothing in it but what the SDK's schema would take over as it is.

/** The newest first (MCP, "Versioning"): the first is offered, any is accepted. As the SDK has them. */
export const LEGACY_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** The version that a server is asked for before it is taken for a legacy one. */
export const MODERN_VERSION = "2026-07-28";

/** The handshake that an answer to `server/discover` makes, if it is plain. */
export function modernHandshake(discover: unknown, learnedAt: () => number): Handshake | undefined {
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

/** The handshake that an answer to `initialize` makes, if it is plain. */
export function legacyHandshake(result: unknown, learnedAt: () => number): Handshake | undefined {
  if (!isRecord(result)) return undefined;
  const { protocolVersion, capabilities, serverInfo, instructions, ...more } = result;
  const isPlain =
    Object.keys(more).length === 0 &&
    typeof protocolVersion === "string" &&
    LEGACY_VERSIONS.includes(protocolVersion) &&
    isPlainImplementation(serverInfo) &&
    isPlainCapabilities(capabilities) &&
    (instructions === undefined || typeof instructions === "string");
  if (!isPlain) return undefined;
  return {
    era: "legacy",
    protocolVersion,
    serverInfo: serverInfo as unknown as Implementation,
    capabilities: capabilities as JsonObject,
    instructions,
    prior: { era: "legacy", at: learnedAt() },
  };
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
