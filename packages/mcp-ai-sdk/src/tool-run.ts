import { isDeepStrictEqual } from "node:util";
import { McpError, type Progress } from "@jackfield/mcp-core";
import { errorText, type FollowedCall, followCall, type ModelCallResult } from "@jackfield/mcp-tools";

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
  return new ToolRun(followCall(call));
}

class ToolRun implements AiSdkToolRun {
  readonly #call: FollowedCall<ModelCallResult>;

  constructor(call: FollowedCall<ModelCallResult>) {
    this.#call = call;
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is a promise to whoever does not want its progress.
  then<Result = ModelCallResult, Failure = never>(
    onResult?: ((result: ModelCallResult) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.#call.result.then(onResult, onError);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AiSdkProgress | ModelCallResult> {
    const steps = this.#call.progress();
    let step = await steps.next();
    for (; step.done !== true; step = await steps.next()) yield progressReport(step.value);
    yield step.value;
  }
}

function progressReport(progress: Progress): AiSdkProgress {
  const { progress: done, total, message } = progress;
  const count = total === undefined ? String(done) : `${done} of ${total}`;
  const text = message === undefined ? `In progress: ${count}` : `In progress: ${count}. ${message}`;
  return { content: [{ type: "text", text }], progress };
}

/** Whether an output, fresh or stored, is what a run says on its way, and not what came of the call. */
export function isProgress(output: object): output is AiSdkProgress {
  if (!("progress" in output) || typeof output.progress !== "object" || output.progress === null)
    return false;
  return isDeepStrictEqual(output, progressReport(output.progress as Progress));
}

/**
 * What a model reads where progress is the last that is known: the SDK stores it as the result of a call that was given up. To a
 * model it would read as if the call went on.
 */
export function givenUpText({ content: [{ text }] }: AiSdkProgress): string {
  const message = `The call was given up before it was answered. The last that was heard of it: ${text}`;
  return errorText(new McpError("MCP_ABORTED", message, { phase: "call", outcome: "unknown" }));
}
