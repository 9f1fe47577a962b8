import type { Progress } from "@jackfield/mcp-core";

/** The most reports of one request in a window. Of any more, only the latest is passed on. */
const MOST_IN_WINDOW = 20;
const WINDOW_MS = 1000;

/** Limits how often progress is passed on. */
export interface ProgressPace {
  push(progress: Progress): void;
  /** The request has ended: passes on the report that was held back last. */
  end(): void;
}

/** A server may report every byte. The listener is called at most 20 times a second, always with the latest report. */
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
