const TICK_MS = 5000;

/** The clock cannot be so far ahead of our timer unless the machine has slept. */
const LONGEST_DRIFT_MS = 30_000;

/** A stream is taken for dead after so many of its usual pauses, and never before the shortest silence has passed. */
const MISSED_SIGNS = 3;
const SHORTEST_SILENCE_MS = 15_000;

/** So many pauses, long and alike, are taken for a habit of the server. */
const KNOWN_PAUSES = 3;
const SHORTEST_PAUSE_MS = 1000;
const UNLIKENESS = 1.5;

/** Watches a stream for the death that no packet tells of: a dropped address translation, a machine that was asleep. */
export interface StreamWatchdog {
  /** Something arrived, be it only a comment. */
  heard(): void;
  stop(): void;
}

/**
 * Begins to watch; `onSuspicion` hears once that the connection should be replaced. A server that sends signs of life at
 * intervals is missed when they stop; of one that never does, only the kernel's own probes tell.
 */
export function createStreamWatchdog(onSuspicion: (why: string) => void): StreamWatchdog {
  let lastTick = Date.now();
  let lastHeard = Date.now();
  let pauses: number[] = [];
  const stop = () => clearInterval(timer);
  const suspect = (why: string) => {
    stop();
    onSuspicion(why);
  };
  const timer = setInterval(() => {
    const now = Date.now();
    const drift = now - lastTick - TICK_MS;
    lastTick = now;
    if (drift > LONGEST_DRIFT_MS) suspect("the machine was asleep");
    else if (isHabit(pauses) && now - lastHeard > longestSilence(pauses)) suspect("the stream fell silent");
  }, TICK_MS);
  return {
    heard() {
      const now = Date.now();
      pauses = [...pauses, now - lastHeard].slice(-KNOWN_PAUSES);
      lastHeard = now;
    },
    stop,
  };
}

function isHabit(pauses: readonly number[]): boolean {
  const shortest = Math.min(...pauses);
  const isKnown = pauses.length === KNOWN_PAUSES && shortest >= SHORTEST_PAUSE_MS;
  return isKnown && Math.max(...pauses) <= shortest * UNLIKENESS;
}

function longestSilence(pauses: readonly number[]): number {
  return Math.max(MISSED_SIGNS * Math.max(...pauses), SHORTEST_SILENCE_MS);
}
