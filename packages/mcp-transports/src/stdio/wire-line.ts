import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";

/**
 * JSON allows these two characters in a string, but many servers read lines with a reader that takes them for line ends. A pattern
 * rejects a text that cannot hold them without searching it; `String.prototype.includes` takes longer for that than `JSON.stringify`
 * for a call.
 */
const SEPARATOR = /[\u2028\u2029]/;
const SEPARATORS = /[\u2028\u2029]/g;

const LONGEST_TEXT = process.getBuiltinModule("node:buffer").constants.MAX_STRING_LENGTH;

/**
 * A message as one line, without the line end.
 *
 * @throws ChannelFault `unserializable`.
 */
export function formatLine(message: JSONRPCMessage): string {
  try {
    const text = JSON.stringify(message);
    const line = SEPARATOR.test(text) ? text.replace(SEPARATORS, escaped) : text;
    // With its line end, it would be longer than the engine lets a string be.
    if (line.length === LONGEST_TEXT) throw new RangeError("Invalid string length");
    return line;
  } catch (error) {
    throw new ChannelFault({ kind: "unserializable" }, { cause: error });
  }
}

function escaped(character: string): string {
  return character === "\u2028" ? "\\u2028" : "\\u2029";
}

/**
 * Passes on the messages of a line: one, or those of a batch (JSON-RPC 2.0, section 6; MCP 2025-03-26). A blank line holds none. The
 * content of a message is checked elsewhere.
 *
 * @param take - also receives the length of the line; returns `false` for what it does not accept as a message
 * @returns whether the line held nothing else: `false` for a log line or a banner, and for a batch with a part that is no message
 */
export function takeMessages(
  line: string,
  take: (message: JSONRPCMessage, characters: number) => boolean,
): boolean {
  const text = line.trim(); // also removes a byte order mark
  if (text === "") return true;
  // What cannot be a message is not parsed: a failure costs a hundred times as much as a short line.
  if (!text.startsWith("{") && !text.startsWith("[")) return false;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return false;
  }
  if (!Array.isArray(parsed)) return isMessage(parsed) && take(parsed, line.length);
  const others = parsed.filter((part) => !isMessage(part) || !take(part, line.length));
  return others.length === 0 && parsed.length > 0;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}
