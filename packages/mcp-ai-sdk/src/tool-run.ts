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
    // Not `result.then(answered).then(…)`: a promise more is a fifth of what such a call costs.
    const taken = onResult ? (result: ModelCallResult) => onResult(answered(result)) : answered;
    return this.#call.result.then(
      taken as (result: ModelCallResult) => Result | PromiseLike<Result>,
      onError,
    );
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AiSdkProgress | ModelCallResult> {
    const steps = this.#call.progress();
    let step = await steps.next();
    // What would not be known again as progress, once it was stored, would read as the answer.
    for (; step.done !== true; step = await steps.next())
      if (isCount(step.value)) yield progressReport(step.value);
    yield answered(step.value);
  }
}

/**
 * Only a run speaks of progress in its own words: what a server answers in them does not read as a call that was given up, and does
 * not come to read so by being stored.
 */
function answered(result: ModelCallResult): ModelCallResult {
  if (!("progress" in result) || !isProgress(asStored(result))) return result;
  const { progress: _, ...answer } = result;
  return answer;
}

/** An answer as it comes back from a store that keeps JSON. One that cannot be kept comes back as nothing. */
function asStored(result: object): object {
  try {
    return JSON.parse(JSON.stringify(result));
  } catch {
    return {};
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
  return (
    "progress" in output &&
    isCount(output.progress) &&
    isDeepStrictEqual(output, progressReport(output.progress))
  );
}

/** Of anything else no text may be made: it may throw, and JSON knows no number without end. */
function isCount(value: unknown): value is Progress {
  if (typeof value !== "object" || value === null) return false;
  const { progress, total = 0, message = "" } = value as { readonly [name: string]: unknown };
  return Number.isFinite(progress) && Number.isFinite(total) && typeof message === "string";
}

/**
 * What a model reads where progress is the last that is known: the SDK stores it as the result of a call that was given up. To a
 * model it would read as if the call went on.
 */
export function givenUpText({ content: [{ text }] }: AiSdkProgress): string {
  const message = `The call was given up before it was answered. The last that was heard of it: ${text}`;
  return errorText(new McpError("MCP_ABORTED", message, { phase: "call", outcome: "unknown" }));
}
