import { createRoster, type RosterMember } from "../roster.ts";

/** Streams that their servers keep open after the answer. */
export interface LingeringStreams {
  /** Calls `end` if the stream is still open after the patience. Call the returned function once it has ended. */
  add(end: () => void): () => void;
  /** Ends all of them. */
  close(): void;
}

interface Waiting extends RosterMember {
  readonly end: () => void;
  readonly since: number;
}

/** One timer for all of them, because nearly every stream ends by itself at once. */
export function createLingeringStreams(patienceMs: number): LingeringStreams {
  const waiting = createRoster<Waiting>();
  let timer: NodeJS.Timeout | undefined;

  const endNow = (stream: Waiting) => {
    waiting.remove(stream);
    stream.end();
  };
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
      const stream: Waiting = { end, since: performance.now(), rosterIndex: -1 };
      waiting.add(stream);
      timer ??= setTimeout(sweep, patienceMs);
      return () => waiting.remove(stream);
    },
    close() {
      clearTimeout(timer);
      for (const stream of waiting.all()) endNow(stream);
    },
  };
}
