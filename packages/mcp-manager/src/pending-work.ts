import { startTimer } from "@jackfield/mcp-core";

/** Work that has not finished. It must not reject. */
export class PendingWork {
  /** Created with the first work, so that a thousand idle servers have none. */
  #pending: Set<Promise<unknown>> | undefined;

  add(work: Promise<unknown>): void {
    this.#pending ??= new Set();
    const pending = this.#pending;
    const tracked: Promise<unknown> = work.finally(() => pending.delete(tracked));
    pending.add(tracked);
  }

  /**
   * Resolves when the work pending now has finished, or after so many milliseconds.
   *
   * @returns whether it has finished.
   */
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
