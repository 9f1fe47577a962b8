import { ChannelFault } from "../channel-fault.ts";

const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  /** @throws ChannelFault `message-too-large` once a line has grown beyond the limit. */
  push(chunk: Buffer): void;
}

/**
 * Bytes are cut before they are decoded, so a character that is spread over two chunks stays whole. What has not ended
 * yet is kept in pieces and joined once: many small chunks cost no more than one large one.
 */
export function createLineSplitter(maxLineBytes: number, onLine: (line: string) => void): LineSplitter {
  let pieces: Buffer[] = [];
  let pendingBytes = 0;

  const keep = (piece: Buffer) => {
    pieces.push(piece);
    pendingBytes += piece.length;
    if (maxLineBytes > 0 && pendingBytes > maxLineBytes) {
      pieces = [];
      pendingBytes = 0;
      throw new ChannelFault({ kind: "message-too-large", limitBytes: maxLineBytes });
    }
  };

  return {
    push(chunk) {
      let rest = chunk;
      for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
        keep(rest.subarray(0, end));
        const line = Buffer.concat(pieces, pendingBytes).toString("utf8");
        pieces = [];
        pendingBytes = 0;
        rest = rest.subarray(end + 1);
        onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
      }
      if (rest.length > 0) keep(rest);
    },
  };
}
