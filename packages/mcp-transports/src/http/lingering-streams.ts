import { createRoster } from "./roster.ts";

/** Streams whose answer has come, and which their server has not ended yet. */
export interface LingeringStreams {
  /** `end` is called if the stream is still open after the patience; the returned function says that it is not. */
  add(end: () => void): () => void;
  /** Ends all of them. */
  close(): void;
}

interface Waiting {
  readonly end: () => void;
  readonly since: number;
  leave: () => void;
}

/** One timer for all of them, because nearly every stream ends by itself at once. */
export function createLingeringStreams(patienceMs: number): LingeringStreams {
  const waiting = createRoster<Waiting>();
  let timer: NodeJS.Timeout | undefined;

  const sweep = () => {
    const now = performance.now();
    const isOver = ({ since }: Waiting) => since + patienceMs <= now;
    timer = undefined;
    for (const stream of waiting.all().filter(isOver)) endNow(stream);
    const left = waiting.all().map(({ since }) => since + patienceMs - now);
    if (left.length > 0) timer = setTimeout(sweep, Math.min(...left));
  };
  return {
    add(end) {
      const stream: Waiting = { end, since: performance.now(), leave: () => {} };
      stream.leave = waiting.add(stream);
      timer ??= setTimeout(sweep, patienceMs);
      return stream.leave;
    },
    close() {
      clearTimeout(timer);
      for (const stream of waiting.all()) endNow(stream);
    },
  };
}

function endNow({ leave, end }: Waiting): void {
  leave();
  end();
}
