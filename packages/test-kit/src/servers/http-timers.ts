/** The timers of one server, all of which end with it. */
export interface HttpTimers {
  /** Acts at once if there is nothing to wait for. Returns what prevents it. */
  after(delayMs: number, act: () => void): () => void;
  /** Acts again and again. Returns what ends it. */
  every(intervalMs: number, act: () => void): () => void;
  clear(): void;
}

/** Makes timers of which none runs. */
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
