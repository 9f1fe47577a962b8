import { isSameJson, McpError, type Progress } from "@jackfield/mcp-core";
import { errorText, type FollowedCall, followCall, type ModelCallResult } from "@jackfield/mcp-tools";

/** A preliminary result that reports progress. It reads like a result, whose text states the progress. */
export interface AiSdkProgress {
  readonly content: [{ readonly type: "text"; readonly text: string }];
  readonly progress: Progress;
}

/**
 * A call under way. Awaiting it gives the result. Iterating it, as the AI SDK does, gives progress and finally the result; if
 * progress comes faster than it is read, only the newest is kept.
 *
 * A rejection that nobody handles is not reported as unhandled: its cause is the caller's own abort.
 */
export interface AiSdkToolRun
  extends PromiseLike<ModelCallResult>,
    AsyncIterable<AiSdkProgress | ModelCallResult> {}

/** What a call's result becomes for the SDK; it may throw. */
export type FinishedOutput = (result: ModelCallResult) => unknown;

/** Starts a call, and gives it the function to report progress to. */
export function startToolRun(
  call: (onProgress: (progress: Progress) => void) => Promise<ModelCallResult>,
  finished: FinishedOutput = (result) => result,
): AiSdkToolRun {
  return new ToolRun(followCall(call), finished);
}

class ToolRun implements AiSdkToolRun {
  readonly #call: FollowedCall<ModelCallResult>;

  readonly #finished: FinishedOutput;

  constructor(call: FollowedCall<ModelCallResult>, finished: FinishedOutput) {
    this.#call = call;
    this.#finished = finished;
  }

  /** To the type checker the output is always a result: data are for programs that asked for them. */
  #outputOf(result: ModelCallResult): ModelCallResult {
    return this.#finished(withoutProgressLookalike(result)) as ModelCallResult;
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is a promise to whoever does not want its progress.
  then<Result = ModelCallResult, Failure = never>(
    onResult?: ((result: ModelCallResult) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    // Not `result.then(…).then(onResult)`: another promise is a fifth of the cost of such a call.
    return this.#call.result.then((result) => {
      const output = this.#outputOf(result);
      return onResult ? onResult(output) : (output as Result);
    }, onError);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AiSdkProgress | ModelCallResult> {
    const steps = this.#call.progress();
    let step = await steps.next();
    // Progress that could not be recognised once it was stored is skipped: it would read as the result.
    for (; step.done !== true; step = await steps.next())
      if (isReportable(step.value)) yield progressReport(step.value);
    yield this.#outputOf(step.value);
  }
}

/** Removes `progress` from a server's result if it looks like a progress report, now or once stored: it would read as an aborted call. */
function withoutProgressLookalike(result: ModelCallResult): ModelCallResult {
  if (!("progress" in result) || !isProgress(asStored(result))) return result;
  const { progress: _, ...answer } = result;
  return answer;
}

/** A result as a store that keeps JSON returns it; `{}` if it cannot be stored. */
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

/** Whether an output, fresh or stored, is a progress report and not the call's result. */
export function isProgress(output: object): output is AiSdkProgress {
  return (
    "progress" in output &&
    isReportable(output.progress) &&
    isSameJson(output, progressReport(output.progress))
  );
}

/** Whether a value can be reported as progress: JSON has no infinite numbers, and other values may throw when written as text. */
function isReportable(value: unknown): value is Progress {
  if (typeof value !== "object" || value === null) return false;
  const { progress, total = 0, message = "" } = value as { readonly [name: string]: unknown };
  return Number.isFinite(progress) && Number.isFinite(total) && typeof message === "string";
}

/**
 * The text for the model if progress is the last output: the SDK stores it as the result of an aborted call, and it would read as
 * if the call went on.
 */
export function givenUpText({ content: [{ text }] }: AiSdkProgress): string {
  const message = `The call was aborted before it was answered. Its last progress report: ${text}`;
  return errorText(new McpError("MCP_ABORTED", message, { phase: "call", outcome: "unknown" }));
}
