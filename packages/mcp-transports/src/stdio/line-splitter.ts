import { ChannelFault } from "../channel-fault.ts";

const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  /** @throws ChannelFault `message-too-large` once a line has grown beyond the limit. */
  push(chunk: Buffer): void;
}

/**
 * Bytes are cut before they are decoded, so a character that is spread over two chunks stays whole. An unfinished line is
 * kept in pieces and joined once, so many small chunks cost no more than one large one. A carriage return before the end of
 * a line is left to the reader, which treats it as white space.
 */
export function createLineSplitter(maxLineBytes: number, onLine: (line: string) => void): LineSplitter {
  return new BoundedSplitter(maxLineBytes > 0 ? maxLineBytes : Number.POSITIVE_INFINITY, onLine);
}

class BoundedSplitter implements LineSplitter {
  readonly #maxLineBytes: number;
  readonly #onLine: (line: string) => void;
  #pieces: Buffer[] = [];
  #pendingBytes = 0;

  constructor(maxLineBytes: number, onLine: (line: string) => void) {
    this.#maxLineBytes = maxLineBytes;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const last = chunk.lastIndexOf(NEWLINE);
    if (last === -1) {
      this.#keep(chunk);
      return;
    }
    let start = 0;
    while (start <= last && (this.#pieces.length > 0 || last - start > this.#maxLineBytes))
      start = this.#endLine(chunk, start);
    // Complete lines are decoded together, which costs little more than one of them.
    if (start <= last) this.#splitText(chunk.toString("utf8", start, last));
    if (last + 1 < chunk.length) this.#keep(chunk.subarray(last + 1));
  }

  /** Decodes one complete line if its length is allowed. Returns where the next one begins. */
  #endLine(chunk: Buffer, start: number): number {
    const end = chunk.indexOf(NEWLINE, start);
    this.#keep(chunk.subarray(start, end));
    this.#onLine(this.#take().toString("utf8"));
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
    this.#pendingBytes += piece.length;
    if (this.#pendingBytes <= this.#maxLineBytes) return;
    this.#pieces = [];
    this.#pendingBytes = 0;
    throw new ChannelFault({ kind: "message-too-large", limitBytes: this.#maxLineBytes });
  }

  #take(): Buffer {
    const [only = Buffer.alloc(0)] = this.#pieces;
    const line = this.#pieces.length > 1 ? Buffer.concat(this.#pieces, this.#pendingBytes) : only;
    this.#pieces = [];
    this.#pendingBytes = 0;
    return line;
  }
}
