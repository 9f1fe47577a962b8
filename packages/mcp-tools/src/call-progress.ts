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
  let newest: Progress | undefined;
  let wake = Promise.withResolvers<void>();
  const result = call((progress) => {
    newest = progress;
    wake.resolve();
  });
  const settled = result.then(
    () => true,
    () => true,
  );
  async function* progress(): AsyncGenerator<Progress, Result> {
    while (!(await Promise.race([settled, wake.promise.then(() => false)]))) {
      wake = Promise.withResolvers();
      if (newest !== undefined) yield newest;
    }
    return await result;
  }
  return { result, progress };
}
