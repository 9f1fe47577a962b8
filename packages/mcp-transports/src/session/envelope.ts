import type { Handshake, HostHandlers, Implementation, JsonObject } from "@jackfield/mcp-core";
import { ENVELOPE_KEYS } from "./envelope-keys.ts";
import { sdkImplementation } from "./sdk-client.ts";
import { announcedCapabilities } from "./server-requests.ts";

/** What every message of a session says of its sender. In the legacy era it says nothing. */
export function envelopeOf(
  { era, protocolVersion }: Handshake,
  { clientInfo, handlers }: { readonly clientInfo: Implementation; readonly handlers: HostHandlers },
): JsonObject | undefined {
  if (era === "legacy") return undefined;
  return {
    [ENVELOPE_KEYS.protocolVersion]: protocolVersion,
    [ENVELOPE_KEYS.clientInfo]: sdkImplementation(clientInfo),
    [ENVELOPE_KEYS.clientCapabilities]: announcedCapabilities(handlers),
  };
}
