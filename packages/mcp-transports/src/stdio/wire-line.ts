import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/**
 * The messages of a line: one, or those of a batch (JSON-RPC 2.0, section 6; MCP 2025-03-26). `undefined` if the line is
 * something else, such as a log line or a banner. What a message holds is checked by the SDK.
 */
export function parseMessages(line: string): readonly JSONRPCMessage[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  const messages: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return messages.length > 0 && messages.every(isMessage) ? messages : undefined;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}
