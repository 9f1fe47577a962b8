import { ChannelFault } from "../channel-fault.ts";

const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  /** @throws ChannelFault `message-too-large` once a line has grown beyond the limit. */
  push(chunk: Buffer): void;
}

/**
 * Bytes are cut before they are decoded, so a character that is spread over two chunks stays whole. What has not ended
 * yet is kept in pieces and joined once: many small chunks cost no more than one large one. A carriage return before the
 * end of a line is left to the reader, for whom it is white space.
 */
export function createLineSplitter(maxLineBytes: number, onLine: (line: string) => void): LineSplitter {
  let pieces: Buffer[] = [];
  let pendingBytes = 0;

  const take = (): Buffer => {
    const [only = Buffer.alloc(0)] = pieces;
    const line = pieces.length > 1 ? Buffer.concat(pieces, pendingBytes) : only;
    pieces = [];
    pendingBytes = 0;
    return line;
  };
  const keep = (piece: Buffer) => {
    pieces.push(piece);
    pendingBytes += piece.length;
    if (maxLineBytes <= 0 || pendingBytes <= maxLineBytes) return;
    pieces = [];
    pendingBytes = 0;
    throw new ChannelFault({ kind: "message-too-large", limitBytes: maxLineBytes });
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        keep(chunk.subarray(start, end));
        start = end + 1;
        onLine(take().toString("utf8"));
      }
      if (start < chunk.length) keep(chunk.subarray(start));
    },
  };
}
