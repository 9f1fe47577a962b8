/** What has been begun and not ended. The work must not reject. */
export interface PendingWork {
  add(work: Promise<unknown>): void;
  /** Resolves when nothing is pending, what was added meanwhile included. */
  finished(): Promise<void>;
}

export function createPendingWork(): PendingWork {
  const pending = new Set<Promise<unknown>>();
  return {
    add(work) {
      const tracked: Promise<unknown> = work.finally(() => pending.delete(tracked));
      pending.add(tracked);
    },
    async finished() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
