import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";

/** What a line holds. */
export interface WireLine {
  readonly messages: readonly JSONRPCMessage[];
  /** Something in it is no message: the line is a log line or a banner, or a batch has a part that is none. */
  readonly isStray: boolean;
}

const NOTHING: WireLine = { messages: [], isStray: false };
const STRAY: WireLine = { messages: [], isStray: true };

/** Many servers read lines with a reader to whom these two end a line as well, which JSON lets stand in a string. */
const LINE_SEPARATOR = "\u2028";
const PARAGRAPH_SEPARATOR = "\u2029";

/**
 * A message as the line it is sent in.
 *
 * @throws ChannelFault `unserializable`.
 */
export function formatLine(message: JSONRPCMessage): string {
  try {
    let text = JSON.stringify(message);
    // Of a text without characters like them it is seen at once that they are not in it.
    if (text.includes(LINE_SEPARATOR)) text = text.replaceAll(LINE_SEPARATOR, "\\u2028");
    if (text.includes(PARAGRAPH_SEPARATOR)) text = text.replaceAll(PARAGRAPH_SEPARATOR, "\\u2029");
    return `${text}\n`;
  } catch (error) {
    throw new ChannelFault({ kind: "unserializable" }, { cause: error });
  }
}

/**
 * The messages of a line: one, or those of a batch (JSON-RPC 2.0, section 6; MCP 2025-03-26). A blank line holds nothing. What
 * a message holds is checked by the SDK.
 */
export function parseLine(line: string): WireLine {
  const text = line.trim(); // takes away a byte order mark as well
  if (text === "") return NOTHING;
  // What can be no message is not tried: a failure costs a hundred times as much as a short line.
  if (!text.startsWith("{") && !text.startsWith("[")) return STRAY;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return STRAY;
  }
  if (!Array.isArray(parsed)) return isMessage(parsed) ? { messages: [parsed], isStray: false } : STRAY;
  const messages = parsed.filter(isMessage);
  return { messages, isStray: messages.length < parsed.length || parsed.length === 0 };
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}
