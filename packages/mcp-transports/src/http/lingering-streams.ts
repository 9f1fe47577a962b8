/** Streams whose answer has come, and which their server has not ended yet. */
export interface LingeringStreams {
  /** `end` is called if the stream is still open after the patience; the returned function says that it is not. */
  add(end: () => void): () => void;
  /** Ends all of them. */
  close(): void;
}

/** One timer for all of them, because nearly every stream ends by itself at once. */
export function createLingeringStreams(patienceMs: number): LingeringStreams {
  const waiting = new Map<() => void, number>();
  let timer: NodeJS.Timeout | undefined;

  const sweep = () => {
    const now = performance.now();
    timer = undefined;
    for (const [end, since] of waiting) {
      const patienceLeftMs = since + patienceMs - now;
      if (patienceLeftMs > 0) {
        timer = setTimeout(sweep, patienceLeftMs);
        return;
      }
      waiting.delete(end);
      end();
    }
  };
  return {
    add(end) {
      waiting.set(end, performance.now());
      timer ??= setTimeout(sweep, patienceMs);
      return () => void waiting.delete(end);
    },
    close() {
      clearTimeout(timer);
      for (const end of waiting.keys()) end();
      waiting.clear();
    },
  };
}
