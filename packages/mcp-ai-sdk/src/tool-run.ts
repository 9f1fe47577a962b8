import type { Progress } from "@jackfield/mcp-core";
import type { ModelCallResult } from "@jackfield/mcp-tools";

/** A preliminary result: how far a call has come. It reads like a result whose text says so. */
export interface AiSdkProgress {
  readonly content: [{ readonly type: "text"; readonly text: string }];
  readonly progress: Progress;
}

/**
 * A call under way. Awaited, it gives the result. Iterated, as the AI SDK does, it gives progress and at last the result; of
 * progress that comes faster than it is read only the newest is kept.
 *
 * What it rejects with is not reported as unhandled if nobody looks: whoever gave the call up knows.
 */
export interface AiSdkToolRun
  extends PromiseLike<ModelCallResult>,
    AsyncIterable<AiSdkProgress | ModelCallResult> {}

/** Begins a call that is told where to say how far it has come. */
export function startToolRun(
  call: (onProgress: (progress: Progress) => void) => Promise<ModelCallResult>,
): AiSdkToolRun {
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
  async function* parts(): AsyncGenerator<AiSdkProgress | ModelCallResult> {
    while (!(await Promise.race([settled, wake.promise.then(() => false)]))) {
      wake = Promise.withResolvers();
      if (newest !== undefined) yield progressReport(newest);
    }
    yield await result;
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: a run is a promise to whoever does not want its progress.
    then: (onResult, onError) => result.then(onResult, onError),
    [Symbol.asyncIterator]: parts,
  };
}

function progressReport(progress: Progress): AiSdkProgress {
  const { progress: done, total, message } = progress;
  const count = total === undefined ? String(done) : `${done} of ${total}`;
  const text = message === undefined ? `In progress: ${count}` : `In progress: ${count}. ${message}`;
  return { content: [{ type: "text", text }], progress };
}
