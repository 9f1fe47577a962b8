import type { Progress } from "@jackfield/mcp-core";

/** A call under way, for frameworks that read its progress as a stream. */
export interface FollowedCall<Result> {
  /** What came of the call. What it rejects with is not reported as unhandled if nobody looks: whoever gave it up knows. */
  readonly result: Promise<Result>;
  /** Progress as it comes, then the result. Of progress that comes faster than it is read only the newest is kept. */
  progress(): AsyncGenerator<Progress, Result>;
}

/** Begins a call that is told where to say how far it has come. */
export function followCall<Result>(
  call: (onProgress: (progress: Progress) => void) => Promise<Result>,
): FollowedCall<Result> {
  return new CallUnderWay(call);
}

/** Most calls are only awaited: nothing is made for progress before somebody reads it. */
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

  /** A property, so that it can be taken out of the call. */
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

  /** What was told before anybody read is news to the first who does. */
  #firstWake(): PromiseWithResolvers<void> {
    const wake = Promise.withResolvers<void>();
    if (this.#newest !== undefined) wake.resolve();
    return wake;
  }
}

const ignore = (): void => {};
const isOver = (): boolean => true;
const isNotOver = (): boolean => false;
