/** Keeps the end of a stream of bytes. */
export interface OutputTail {
  push(chunk: Buffer): void;
  /** The text kept. Its first line is dropped where something before it was lost, because it may be half a secret. */
  text(): string;
}

/** Keeps at most `maxBytes`, and for a moment up to twice as much. */
export function createOutputTail(maxBytes: number): OutputTail {
  let chunks: Buffer[] = [];
  let size = 0;
  let isCut = false;

  const trim = () => {
    isCut ||= size > maxBytes;
    const kept = Buffer.concat(chunks).subarray(-maxBytes);
    chunks = [kept];
    size = kept.length;
  };

  return {
    push(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > 2 * maxBytes) trim();
    },
    text() {
      trim();
      const text = Buffer.concat(chunks).toString("utf8");
      const firstBreak = text.indexOf("\n");
      return isCut && firstBreak !== -1 ? text.slice(firstBreak + 1) : text;
    },
  };
}
