import type { Handshake, HostHandlers, Implementation, JsonObject } from "@jackfield/mcp-core";
import { sdkImplementation } from "./sdk-client.ts";
import { announcedCapabilities } from "./server-requests.ts";

/** What a message of the modern era says of its sender and of itself, as `_meta` (MCP 2026-07-28, "Overview"). */
export const ENVELOPE_KEYS = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
} as const;

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
