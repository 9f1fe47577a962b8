import { isRecord } from "@jackfield/mcp-core";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { asError } from "../errors/wording.ts";
import { TransportFault } from "../faults.ts";
import { JoinedPieces } from "../joined-pieces.ts";
import { checkMessage, unsoundAnswer, withoutNulls } from "../message-check.ts";
import type { StrayOutput } from "../transport.ts";

/**
 * The most lines that are read before pending promises may run. A caller that makes its next call after an answer thus keeps the
 * server busy while further answers are read.
 */
const LINES_A_TURN = 32;

export interface MessageReaderOptions {
  /** `0` means no limit. */
  readonly maxMessageBytes: number;
  onMessage(message: JSONRPCMessage): void;
  /** `onMessage` threw. Reading goes on with the next message. */
  onError(error: Error): void;
  /** Reading has ended with `message-too-large`, after everything before that message was read. */
  onFault(fault: TransportFault): void;
  /** Called with the first line that is no message, and no other: a server that logs there would fill the host's log as well. */
  onStrayOutput(line: string): void;
}

/** Reads messages from the standard output of a process. Other lines are counted and skipped. */
export class MessageReader {
  readonly #options: MessageReaderOptions;
  readonly #splitter: LineSplitter;
  readonly #stray = { lines: 0, first: "", last: "" };
  #lines: string[] = [];
  /** The line that is read next. */
  #next = 0;
  #isScheduled = false;
  #fault: TransportFault | undefined;

  constructor(options: MessageReaderOptions) {
    this.#options = options;
    this.#splitter = new LineSplitter(options.maxMessageBytes, (line) => this.#lines.push(line));
  }

  push(chunk: Buffer): void {
    if (this.#fault) return;
    try {
      this.#splitter.push(chunk);
    } catch (fault) {
      this.#fault = fault as TransportFault;
    }
    if (!this.#isScheduled) this.#readSome();
  }

  /** The lines that were no messages; `undefined` if there was none. */
  stray(): StrayOutput | undefined {
    return this.#stray.lines > 0 ? this.#stray : undefined;
  }

  get strayLines(): number {
    return this.#stray.lines;
  }

  #readSome(): void {
    const lines = this.#lines;
    const end = Math.min(this.#next + LINES_A_TURN, lines.length);
    while (this.#next < end) {
      const line = lines[this.#next++] as string;
      if (!takeMessages(line, this.#take)) this.#takeStray(line);
    }
    if (this.#next < lines.length) {
      this.#isScheduled = true;
      // The tick comes after all promises that can run now, and before any other chunk.
      queueMicrotask(() => process.nextTick(() => this.#goOn()));
      return;
    }
    this.#lines = [];
    this.#next = 0;
    if (this.#fault) this.#options.onFault(this.#fault);
  }

  #goOn(): void {
    this.#isScheduled = false;
    this.#readSome();
  }

  /** A call must not wait for an answer that has come and cannot be read. */
  #takeStray(line: string): void {
    const stray = this.#stray;
    stray.lines += 1;
    // A slice would keep the whole line alive.
    stray.last = line.length > KEPT_LENGTH ? structuredClone(line.slice(0, KEPT_LENGTH)) : line;
    if (stray.lines === 1) {
      stray.first = stray.last;
      this.#options.onStrayOutput(stray.first);
    }
    const id = unreadableAnswerTo(line);
    const shown = line.length > KEPT_LENGTH ? "" : `: ${line}`;
    if (id !== undefined) this.#pass(unsoundAnswer(id, `its answer is not valid JSON${shown}`));
  }

  readonly #take = (message: JSONRPCMessage, characters: number): boolean => {
    const checked = checkMessage(message, characters);
    if (checked === undefined) return false;
    this.#pass(checked);
    return true;
  };

  #pass(message: JSONRPCMessage): void {
    try {
      this.#options.onMessage(message);
    } catch (error) {
      this.#options.onError(asError(error));
    }
  }
}

/** What is kept of a line, in characters: more than is shown, so that no half secret is left when it is cut. */
const KEPT_LENGTH = 16 * 1024;

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines, before they are decoded, so a character that is spread over two chunks stays whole. A carriage return
 * before the end of a line is left to the reader, which treats it as white space.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #pieces = new JoinedPieces();

  constructor(maxLineBytes: number, onLine: (line: string) => void) {
    this.#maxLineBytes = maxLineBytes > 0 ? maxLineBytes : Number.POSITIVE_INFINITY;
    this.#onLine = onLine;
  }

  /** @throws TransportFault `message-too-large` once a line has grown beyond the limit. */
  push(chunk: Buffer): void {
    const last = chunk.lastIndexOf(NEWLINE);
    if (last === -1) {
      this.#keep(chunk);
      return;
    }
    let start = 0;
    while (start <= last && (this.#pieces.bytes > 0 || last - start > this.#maxLineBytes))
      start = this.#endLine(chunk, start);
    // Complete lines are decoded together, which costs little more than one of them.
    if (start <= last) this.#splitText(chunk.toString("utf8", start, last));
    if (last + 1 < chunk.length) this.#keep(chunk.subarray(last + 1));
  }

  /** Decodes one complete line if its length is allowed. Returns where the next one begins. */
  #endLine(chunk: Buffer, start: number): number {
    const end = chunk.indexOf(NEWLINE, start);
    this.#keep(chunk.subarray(start, end));
    this.#onLine(this.#pieces.take().toString("utf8"));
    return end + 1;
  }

  #splitText(text: string): void {
    for (let start = 0; start <= text.length; ) {
      const found = text.indexOf("\n", start);
      const end = found === -1 ? text.length : found;
      this.#onLine(text.slice(start, end));
      start = end + 1;
    }
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    if (this.#pieces.bytes <= this.#maxLineBytes) return;
    this.#pieces.take();
    throw new TransportFault({ kind: "message-too-large", limitBytes: this.#maxLineBytes });
  }
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
function unreadableAnswerTo(line: string): number | undefined {
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
  if (!isRecord(value) || value.jsonrpc !== "2.0") return false;
  withoutNulls(value);
  return true;
}
