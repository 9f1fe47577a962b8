/** Keeps the end of a stream of bytes. */
export interface OutputTail {
  push(chunk: Buffer): void;
  /** The text kept. If text before it was lost, it begins with a whole line, or in the middle of one that is longer than what is kept. */
  text(): string;
}

const LINE_BREAK = 0x0a;

/**
 * Trims the kept chunks only when they reach twice the size, so the work per byte and the memory stay bounded.
 *
 * @param maxBytes - keeps at most this much, and for a moment up to twice as much
 */
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
      if (chunk.length >= maxBytes) {
        isCut ||= size > 0 || chunk.length > maxBytes;
        chunks = [Buffer.from(chunk.subarray(-maxBytes))];
        size = maxBytes;
        return;
      }
      chunks.push(chunk);
      size += chunk.length;
      if (size > 2 * maxBytes) trim();
    },
    text() {
      trim();
      const kept = Buffer.concat(chunks);
      if (!isCut) return kept.toString("utf8");
      const firstBreak = kept.indexOf(LINE_BREAK);
      // Half a character at the beginning is no text.
      return firstBreak === -1
        ? kept.toString("utf8").replace(/^\uFFFD+/, "")
        : kept.toString("utf8", firstBreak + 1);
    },
  };
}
