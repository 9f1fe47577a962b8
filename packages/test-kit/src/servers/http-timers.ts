/** The timers of one server, which end with it. */
export interface HttpTimers {
  /** Calls `act` after the delay, or at once if it is 0. Returns a function that cancels it. */
  after(delayMs: number, act: () => void): () => void;
  /** Calls `act` at every interval. Returns a function that stops it. */
  every(intervalMs: number, act: () => void): () => void;
  clear(): void;
}

/** Creates an empty set of timers. */
export function createHttpTimers(): HttpTimers {
  const running = new Set<NodeJS.Timeout>();
  const stop = (timer: NodeJS.Timeout) => () => {
    clearTimeout(timer);
    running.delete(timer);
  };
  return {
    after(delayMs, act) {
      if (delayMs === 0) {
        act();
        return () => {};
      }
      const timer = setTimeout(() => {
        running.delete(timer);
        act();
      }, delayMs);
      running.add(timer);
      return stop(timer);
    },
    every(intervalMs, act) {
      const timer = setInterval(act, intervalMs);
      running.add(timer);
      return stop(timer);
    },
    clear() {
      for (const timer of running) clearTimeout(timer);
      running.clear();
    },
  };
}
