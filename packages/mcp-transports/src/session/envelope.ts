import type { Handshake, HostHandlers, Implementation, JsonObject } from "@jackfield/mcp-core";
import type { ClientCapabilities } from "@modelcontextprotocol/client";
import { ENVELOPE_KEYS } from "./envelope-keys.ts";
import { sdkImplementation } from "./sdk-client.ts";
import { announcedCapabilities } from "./server-requests.ts";

/** The `_meta` about the sender in every message of a session; `undefined` in the legacy era. */
export function envelopeOf(
  { era, protocolVersion }: Handshake,
  { clientInfo, handlers }: { readonly clientInfo: Implementation; readonly handlers: HostHandlers },
): JsonObject | undefined {
  if (era === "legacy") return undefined;
  return senderOf(protocolVersion, sdkImplementation(clientInfo), announcedCapabilities(handlers));
}

/** The `_meta` with the protocol version, the sender and its capabilities. */
export function senderOf(
  protocolVersion: string,
  clientInfo: Implementation,
  capabilities: ClientCapabilities,
): JsonObject {
  return {
    [ENVELOPE_KEYS.protocolVersion]: protocolVersion,
    [ENVELOPE_KEYS.clientInfo]: clientInfo,
    [ENVELOPE_KEYS.clientCapabilities]: capabilities,
  };
}
