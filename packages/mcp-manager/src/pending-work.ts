import { startTimer } from "./timer.ts";

/** What has been begun and not ended. The work must not reject. */
export interface PendingWork {
  add(work: Promise<unknown>): void;
  /**
   * Resolves when what is pending now has ended, at once if that is nothing, or after so many milliseconds.
   *
   * @returns whether it has ended.
   */
  finished(withinMs: number): Promise<boolean>;
}

export function createPendingWork(): PendingWork {
  return new Pending();
}

class Pending implements PendingWork {
  /** Made with the first work: a thousand servers that are idle have none. */
  #pending: Set<Promise<unknown>> | undefined;

  add(work: Promise<unknown>): void {
    this.#pending ??= new Set();
    const pending = this.#pending;
    const tracked: Promise<unknown> = work.finally(() => pending.delete(tracked));
    pending.add(tracked);
  }

  async finished(withinMs: number): Promise<boolean> {
    const pending = this.#pending;
    if (pending === undefined || pending.size === 0) return true;
    const late = Promise.withResolvers<false>();
    const timer = startTimer(() => late.resolve(false), withinMs);
    const isFinished = await Promise.race([Promise.all(pending).then(() => true), late.promise]);
    clearTimeout(timer);
    return isFinished;
  }
}
