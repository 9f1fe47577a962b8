/** How long work keeps the event loop to itself, in milliseconds. */
const SLICE_MS = 4;

/** Divides long work into slices, between which timers and input of the process are served. */
export interface TimeSlices {
  /** Whether the current slice has lasted long enough. Cheap: ask after each step of the work. */
  isOver(): boolean;
  /** Resolves when it is this work's turn again, and begins the next slice. */
  next(): Promise<void>;
}

/** Begins the first slice of a long work. A work that is done within it never waits. */
export function createTimeSlices(): TimeSlices {
  let endsAt = performance.now() + SLICE_MS;
  return {
    isOver: () => performance.now() >= endsAt,
    async next() {
      await new Promise<void>((resolve) => setImmediate(resolve));
      endsAt = performance.now() + SLICE_MS;
    },
  };
}
