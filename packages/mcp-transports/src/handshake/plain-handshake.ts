import { type Handshake, type Implementation, isRecord, type JsonObject } from "@jackfield/mcp-core";
import {
  areCacheHintsOrMissing,
  areIconsOrMissing,
  isRecordOrMissing,
  isText,
  isTextOrMissing,
} from "../plain-values.ts";
import { ENVELOPE_KEYS } from "../session/envelope-keys.ts";

// An answer is plain if it holds only what the SDK's schema would pass on unchanged.

/** The versions that the SDK knows, newest first. The first is offered, any is accepted (MCP, "Versioning"). */
export const LEGACY_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** The version that the probe asks for. */
export const MODERN_VERSION = "2026-07-28";

/** The handshake from an answer to `server/discover`; `undefined` if the answer is not plain. */
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
    capabilities.tasks === undefined && // the modern era has no such capability, and the SDK drops it
    isTextOrMissing(instructions) &&
    saysOnlyWhoItIs(_meta) &&
    (serverInfo === undefined || isPlainImplementation(serverInfo)) &&
    resultType === "complete" &&
    areCacheHintsOrMissing({ ttlMs, cacheScope });
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

/** The handshake from an answer to `initialize`; `undefined` if the answer is not plain. */
export function legacyHandshake(result: unknown, learnedAt: () => number): Handshake | undefined {
  if (!isRecord(result)) return undefined;
  const { protocolVersion, capabilities, serverInfo, instructions, _meta, ...more } = result;
  const isPlain =
    Object.keys(more).length === 0 &&
    typeof protocolVersion === "string" &&
    LEGACY_VERSIONS.includes(protocolVersion) &&
    isPlainImplementation(serverInfo) &&
    isPlainCapabilities(capabilities) &&
    isTextOrMissing(instructions) &&
    isRecordOrMissing(_meta);
  if (!isPlain) return undefined;
  return {
    era: "legacy",
    protocolVersion,
    serverInfo: serverInfo as unknown as Implementation,
    capabilities: capabilities as JsonObject,
    instructions: instructions as string | undefined,
    prior: { era: "legacy", at: learnedAt() },
  };
}

function saysOnlyWhoItIs(meta: unknown): boolean {
  return isRecord(meta) && Object.keys(meta).every((key) => key === ENVELOPE_KEYS.serverInfo);
}

function isPlainImplementation(value: unknown): boolean {
  if (!isRecord(value) || !isText(value.name) || !isText(value.version)) return false;
  const { icons, ...texts } = value;
  if (!areIconsOrMissing(icons)) return false;
  return Object.entries(texts).every(([member, text]) => IMPLEMENTATION_TEXTS.has(member) && isText(text));
}

const IMPLEMENTATION_TEXTS = new Set(["name", "version", "title", "description", "websiteUrl"]);

function isPlainCapabilities(value: unknown): value is { readonly [name: string]: unknown } {
  return isRecord(value) && Object.entries(value).every(([name, facts]) => isPlainCapability(name, facts));
}

function isPlainCapability(name: string, facts: unknown): boolean {
  if (!isRecord(facts)) return false;
  if (OPEN_CAPABILITIES.has(name)) return true;
  if (name === "tasks") return areTasks(facts);
  if (MAPS_OF_CAPABILITIES.has(name)) return Object.values(facts).every(isRecord);
  const flags = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
  if (flags === undefined) return false;
  return Object.entries(facts).every(([flag, is]) => flags.includes(flag) && typeof is === "boolean");
}

/** Which requests may run as tasks (MCP 2025-11-25). Servers built with the SDK of that time announce it. */
function areTasks({ list, cancel, requests = {} }: { readonly [member: string]: unknown }): boolean {
  if (!isRecordOrMissing(list) || !isRecordOrMissing(cancel) || !isRecord(requests)) return false;
  const { tools = {} } = requests;
  return isRecord(tools) && isRecordOrMissing(tools.call);
}

const OPEN_CAPABILITIES = new Set(["logging", "completions"]);
const MAPS_OF_CAPABILITIES = new Set(["experimental", "extensions"]);
const FLAGS: { readonly [capability: string]: readonly string[] | undefined } = {
  tools: ["listChanged"],
  prompts: ["listChanged"],
  resources: ["subscribe", "listChanged"],
};
