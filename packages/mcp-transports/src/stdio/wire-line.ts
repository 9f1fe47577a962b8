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
 * Passes on the messages of a line: one, those of a batch (JSON-RPC 2.0, section 6; MCP 2025-03-26), or several in a row, from a server that
 * has left a line end out. A blank line holds none. The content of a message is checked elsewhere.
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
  const parsed = parseLine(text);
  if (!Array.isArray(parsed)) return isMessage(parsed) && take(parsed, line.length);
  const others = parsed.filter((part) => !isMessage(part) || !take(part, line.length));
  return others.length === 0 && parsed.length > 0;
}

/** What a line holds: an object, a list, or `undefined` if it is neither. */
function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return /\}\s*\{/.test(text) ? parseRow(text) : undefined;
  }
}

/** The objects of a text that is made of nothing else. */
function parseRow(text: string): unknown[] | undefined {
  const objects: unknown[] = [];
  let start = 0;
  let depth = 0;
  let isInString = false;
  try {
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at];
      if (isInString) {
        if (character === "\\") at += 1;
        else if (character === '"') isInString = false;
      } else if (character === '"') isInString = true;
      else if (character === "{") depth += 1;
      else if (character === "}") {
        depth -= 1;
        if (depth > 0) continue;
        objects.push(JSON.parse(text.slice(start, at + 1)));
        start = at + 1;
      }
    }
    return text.slice(start).trim() === "" ? objects : undefined;
  } catch {
    return undefined;
  }
}

/** Where an answer has its id: beside its version, or at its end. In quotes of either kind, as Python prints them. */
const ANSWERED_IDS = [
  /["']jsonrpc["']\s*:\s*["']2\.0["']\s*,\s*["']id["']\s*:\s*["']?(\d{1,15})\b/,
  /["']id["']\s*:\s*["']?(\d{1,15})["']?\s*,\s*["']jsonrpc["']/,
  /,\s*["']id["']\s*:\s*["']?(\d{1,15})["']?\s*\}$/,
];

/** A server's own request, whose id says nothing of ours. */
const REQUEST = /["']method["']\s*:\s*["'](?:ping|[a-z]+\/)/;

/** How much of a line's beginning and end is searched for an id. */
const SEARCHED = 500;

/** The id of the request that a line seems to answer, although it cannot be read. */
export function unreadableAnswerTo(line: string): number | undefined {
  const text = line.trim();
  const ends = text.length > 2 * SEARCHED ? [text.slice(0, SEARCHED), text.slice(-SEARCHED)] : [text];
  if (!ends.some((end) => end.includes("jsonrpc")) || ends.some((end) => REQUEST.test(end))) return undefined;
  for (const pattern of ANSWERED_IDS) {
    for (const end of ends) {
      const [, id] = pattern.exec(end) ?? [];
      if (id !== undefined) return Number(id);
    }
  }
  return undefined;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}
