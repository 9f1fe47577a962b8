/** Keeps the end of a stream of bytes. */
export interface OutputTail {
  push(chunk: Buffer): void;
  /** The text kept. If text before it was lost, it begins with a whole line, or at least not with half a secret. */
  text(): string;
}

const LINE_BREAK = 0x0a;

export interface OutputTailOptions {
  /** Keeps at most this much, and for a moment up to twice as much. */
  readonly maxBytes: number;
  /** Half a secret at the cut is dropped. Whole ones stay. */
  readonly secrets?: readonly string[] | undefined;
}

/** Trims the kept chunks only when they reach twice the size, so the work per byte and the memory stay bounded. */
export function createOutputTail({ maxBytes, secrets = [] }: OutputTailOptions): OutputTail {
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
      return firstBreak === -1
        ? withoutHalfSecret(kept.toString("utf8"), secrets)
        : kept.toString("utf8", firstBreak + 1);
    },
  };
}

function withoutHalfSecret(text: string, secrets: readonly string[]): string {
  const start = text.search(/[^\uFFFD]/);
  const lengths = secrets.map((secret) => {
    let length = secret.length - 1;
    while (length > 0 && !text.startsWith(secret.slice(-length), start)) length -= 1;
    return Math.max(0, length);
  });
  return text.slice(Math.max(0, start) + Math.max(0, ...lengths));
}
