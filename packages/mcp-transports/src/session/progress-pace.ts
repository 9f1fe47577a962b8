import type { Progress } from "@jackfield/mcp-core";

/** What a listener hears of one request in one window; what comes beyond it is put together into the last of it. */
const MOST_IN_WINDOW = 20;
const WINDOW_MS = 1000;

/** Passes progress on no faster than anybody could look at it. */
export interface ProgressPace {
  push(progress: Progress): void;
  /** The request has ended: what was held back last is passed on. */
  end(): void;
}

/** A server may tell of every byte; the listener hears 20 times a second at most, and always of the latest. */
export function createProgressPace(listener: (progress: Progress) => void): ProgressPace {
  let heard = 0;
  let latest: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    const progress = latest;
    latest = undefined;
    if (progress) listener(progress);
  };
  const beginWindow = () => {
    timer = setTimeout(() => {
      timer = undefined;
      heard = 0;
      if (!latest) return;
      heard = 1;
      beginWindow();
      flush();
    }, WINDOW_MS);
  };
  return {
    push(progress) {
      latest = progress;
      if (!timer) beginWindow();
      if (heard >= MOST_IN_WINDOW) return;
      heard += 1;
      flush();
    },
    end() {
      clearTimeout(timer);
      flush();
    },
  };
}
