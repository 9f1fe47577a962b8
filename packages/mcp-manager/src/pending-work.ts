/** What has been begun and not ended. The work must not reject. */
export interface PendingWork {
  add(work: Promise<unknown>): void;
  /**
   * Resolves when nothing is pending, what was added meanwhile included; or after so many milliseconds, if given.
   *
   * @returns whether nothing is pending.
   */
  finished(withinMs?: number): Promise<boolean>;
}

export function createPendingWork(): PendingWork {
  const pending = new Set<Promise<unknown>>();
  return {
    add(work) {
      const tracked: Promise<unknown> = work.finally(() => pending.delete(tracked));
      pending.add(tracked);
    },
    async finished(withinMs) {
      const late = Promise.withResolvers<void>();
      const timer = withinMs === undefined ? undefined : setTimeout(late.resolve, withinMs);
      await Promise.race([drain(pending), late.promise]);
      clearTimeout(timer);
      return pending.size === 0;
    },
  };
}

async function drain(pending: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (pending.size > 0) await Promise.all(pending);
}
