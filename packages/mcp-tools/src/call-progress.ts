import type { Progress } from "@jackfield/mcp-core";

/** A call under way, for frameworks that read its progress as a stream. */
export interface FollowedCall<Result> {
  /** The result of the call. A rejection that nobody awaits is not reported as unhandled. */
  readonly result: Promise<Result>;
  /** Yields progress as it comes, then returns the result. If progress comes faster than it is read, only the newest is kept. */
  progress(): AsyncGenerator<Progress, Result>;
}

/** Starts a call with a callback for its progress. */
export function followCall<Result>(
  call: (onProgress: (progress: Progress) => void) => Promise<Result>,
): FollowedCall<Result> {
  return new CallUnderWay(call);
}

/** Most calls are only awaited, so nothing is allocated for progress before somebody reads it. */
class CallUnderWay<Result> implements FollowedCall<Result> {
  readonly result: Promise<Result>;
  #newest: Progress | undefined;
  #wake: PromiseWithResolvers<void> | undefined;

  constructor(call: (onProgress: (progress: Progress) => void) => Promise<Result>) {
    this.result = call((progress) => {
      this.#newest = progress;
      this.#wake?.resolve();
    });
    this.result.then(undefined, ignore);
  }

  /** A bound property, so that it can be destructured. */
  readonly progress = (): AsyncGenerator<Progress, Result> => this.#steps();

  async *#steps(): AsyncGenerator<Progress, Result> {
    const settled = this.result.then(isOver, isOver);
    this.#wake ??= this.#firstWake();
    while (!(await Promise.race([settled, this.#wake.promise.then(isNotOver)]))) {
      this.#wake = Promise.withResolvers();
      if (this.#newest !== undefined) yield this.#newest;
    }
    return await this.result;
  }

  /** Delivers progress that came before anybody read to the first reader. */
  #firstWake(): PromiseWithResolvers<void> {
    const wake = Promise.withResolvers<void>();
    if (this.#newest !== undefined) wake.resolve();
    return wake;
  }
}

const ignore = (): void => {};
const isOver = (): boolean => true;
const isNotOver = (): boolean => false;
