import {
  type Handshake,
  type HostHandlers,
  type Implementation,
  isRecord,
  type JsonObject,
  type McpError,
} from "@jackfield/mcp-core";
import type { ClientCapabilities } from "@modelcontextprotocol/client";
import { METHOD_NOT_FOUND, ProtocolFault, UNSUPPORTED_PROTOCOL_VERSION } from "../faults.ts";
import { isText } from "./results.ts";

/** The versions of the legacy era, newest first. The first is offered, any is accepted (MCP, "Versioning"). */
export const LEGACY_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** The version that the probe asks for. */
export const MODERN_VERSION = "2026-07-28";

/** A name and a version as they go on the wire. */
export function wireImplementation({ name, version, title }: Implementation): Implementation {
  return title === undefined ? { name, version } : { name, version, title };
}

/** Extensions of the protocol that the client announces, with the settings of each (MCP 2026-07-28, "Extensions"). */
export type ClientExtensions = { readonly [name: string]: JsonObject };

/**
 * The announced capabilities: only those for which the host has a handler, and the extensions that it names. Form fields that the user
 * left out are filled in with the server's defaults (SEP-1034).
 */
export function announcedCapabilities(
  handlers: HostHandlers,
  extensions: ClientExtensions | undefined,
): ClientCapabilities {
  return {
    ...(extensions && { extensions: extensions as ClientCapabilities["extensions"] }),
    ...(handlers.elicit && { elicitation: { form: { applyDefaults: true }, url: {} } }),
    ...(handlers.sample && { sampling: {} }),
    ...(handlers.roots && { roots: {} }),
  };
}

/** The `_meta` about the sender in every message of the modern era. */
export function envelopeOf(
  protocolVersion: string,
  clientInfo: Implementation,
  capabilities: ClientCapabilities,
): JsonObject {
  return {
    [ENVELOPE_KEYS.protocolVersion]: protocolVersion,
    [ENVELOPE_KEYS.clientInfo]: wireImplementation(clientInfo),
    [ENVELOPE_KEYS.clientCapabilities]: capabilities,
  };
}

/**
 * The handshake from an answer to `server/discover`.
 *
 * @param at - when it was learned, epoch milliseconds
 * @throws ProtocolFault if the answer names no version that both sides know, or is no such answer
 */
export function readDiscover(discover: unknown, at: number): Handshake {
  if (!isRecord(discover))
    throw new ProtocolFault("invalid", "its answer to server/discover is not an object");
  const { supportedVersions, capabilities, instructions, resultType } = discover;
  if (!Array.isArray(supportedVersions) || !(capabilities == null || isRecord(capabilities)))
    throw new ProtocolFault("invalid", "its answer to server/discover names no versions");
  if (resultType != null && resultType !== "complete")
    throw new ProtocolFault("invalid", "its answer to server/discover is not complete");
  if (!supportedVersions.includes(MODERN_VERSION)) {
    const named = supportedVersions.filter(isText).join(", ");
    throw new ProtocolFault("version", `it supports ${named || "none"}, and this client ${MODERN_VERSION}`);
  }
  const meta = isRecord(discover._meta) ? discover._meta : {};
  return {
    era: "modern",
    protocolVersion: MODERN_VERSION,
    serverInfo: readImplementation(meta[ENVELOPE_KEYS.serverInfo]),
    capabilities: readCapabilities(capabilities),
    instructions: isText(instructions) ? instructions : undefined,
    prior: { era: "modern", at, discover: discover as JsonObject },
  };
}

/**
 * The handshake from an answer to `initialize`.
 *
 * @param at - when the era was learned, epoch milliseconds
 * @throws ProtocolFault if the answer names no version that both sides know, or is no such answer
 */
export function readInitialize(result: unknown, at: number): Handshake {
  if (!isRecord(result) || !isText(result.protocolVersion))
    throw new ProtocolFault("invalid", "its answer to initialize names no protocol version");
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (!LEGACY_VERSIONS.includes(protocolVersion))
    throw new ProtocolFault("version", `it wants ${protocolVersion}, which this client does not know`);
  if (!(capabilities == null || isRecord(capabilities)))
    throw new ProtocolFault("invalid", "the capabilities in its answer to initialize are not an object");
  return {
    era: "legacy",
    protocolVersion,
    serverInfo: readImplementation(serverInfo),
    capabilities: readCapabilities(capabilities),
    instructions: isText(instructions) ? instructions : undefined,
    prior: { era: "legacy", at },
  };
}

/** What a server says of itself is only shown, so what is wrong with it does not matter. */
function readImplementation(value: unknown): Implementation | undefined {
  if (!isRecord(value) || !isText(value.name)) return undefined;
  const { title, ...rest } = value;
  const version = isText(value.version) ? value.version : "";
  return { ...rest, name: value.name, version, ...(isText(title) && { title }) };
}

/** A capability that is `null` or `false` is not there; `true`, which some servers write, is one without details. */
function readCapabilities(value: unknown): JsonObject {
  const given = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    given.flatMap(([name, facts]) =>
      isRecord(facts) ? [[name, facts] as const] : facts === true ? [[name, {}] as const] : [],
    ),
  );
}

/** Statuses for a request that lacks the session of an older protocol. */
const REFUSALS_WITHOUT_SESSION = new Set([400, 404, 405]);

/**
 * Whether the first answer of a server shows that it is not, or no longer, of the assumed era. A list that the server announced cannot
 * be refused for another reason; a tool call can. Many servers have resources but do not know templates.
 */
export function contradictsPrior(method: string, error: McpError): boolean {
  if (error.rpcCode === UNSUPPORTED_PROTOCOL_VERSION || error.code === "MCP_PROTOCOL_VIOLATED") return true;
  const isOptional = method === "resources/templates/list" && error.rpcCode === METHOD_NOT_FOUND;
  if (!method.endsWith("/list") || isOptional) return false;
  return error.rpcCode !== undefined || REFUSALS_WITHOUT_SESSION.has(error.httpStatus ?? 0);
}

/** The `_meta` keys of the protocol in messages and answers of the modern era (MCP 2026-07-28, "Overview"). */
export const ENVELOPE_KEYS = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  logLevel: "io.modelcontextprotocol/logLevel",
} as const;
