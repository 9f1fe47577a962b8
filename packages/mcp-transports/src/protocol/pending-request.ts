import { type JsonObject, McpError, type Progress, type SessionRequestOptions } from "@jackfield/mcp-core";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";
import type { SendFollower } from "../transport.ts";
import type { Connection } from "./connection.ts";
import { RpcError } from "./faults.ts";
import { createProgressPace, type ProgressPace } from "./progress-pace.ts";
import { callListener } from "./session-listeners.ts";

/** An answer to a request: a result or an error. */
export type Answer = Exclude<JSONRPCMessage, { method: string }>;

/** Why a request ended without its answer. */
export type RequestEnd =
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "expired"; readonly limitMs: number; readonly isTotal: boolean }
  | { readonly kind: "aborted"; readonly reason: unknown }
  /** The connection ended; no cause means that the host closed it. */
  | { readonly kind: "ended"; readonly cause: McpError | undefined };

/** What is sent next in place of an answer: the same request with other parameters, under a new id and the same deadlines. */
export class NextRound {
  readonly params: JsonObject;
  readonly headers: OutgoingRequest["headers"];

  constructor(params: JsonObject, headers?: OutgoingRequest["headers"]) {
    this.params = params;
    this.headers = headers;
  }
}

/** A request to send. */
export interface OutgoingRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: SessionRequestOptions;
  /** Sent as `_meta` in place of the parameters' own. */
  readonly meta?: JsonObject | undefined;
  /** Headers that repeat parts of the request, for a transport that has headers. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Without `_meta`, and never cancelled: a request of the handshake. */
  readonly isHandshake?: boolean | undefined;
  /** Set if the session repeats the request by itself, and no caller waits for it. */
  readonly unattended?: SendFollower["unattended"];
  /** Called before the request is sent. */
  begun?(request: PendingRequest): void;
  /** Reads an answer. May throw, or return what is to be sent next. */
  read(answer: Answer, request: PendingRequest): JsonObject | NextRound | Promise<JsonObject | NextRound>;
  /** Makes the error that the request rejects with. Default: what was thrown. */
  explain?(end: RequestEnd, isWritten: boolean): unknown;
  /** Called when the request has settled, with its error if it failed. */
  settled?(error?: unknown): void;
}

/** A request that waits for its answer. It settles once. */
export class PendingRequest implements SendFollower {
  id = -1;
  /** Whether any of it was written and not refused. */
  isWritten = false;
  /** Its answer has arrived and is being read. */
  isAnswered = false;
  /** How many holds suspend the idle deadline. */
  holds = 0;
  headers: OutgoingRequest["headers"];
  readonly request: OutgoingRequest;
  readonly #connection: Connection;
  readonly #resolve: (value: JsonObject) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timeoutMs: number;
  readonly #maxTotalMs: number;
  /** On the monotonic clock. */
  readonly #totalAt: number;
  #idleAt: number;
  #highestProgress = Number.NEGATIVE_INFINITY;
  #pace: ProgressPace | undefined;
  #onAbort: (() => void) | undefined;
  #isSettled = false;
  #ended: AbortController | undefined;

  constructor(
    connection: Connection,
    request: OutgoingRequest,
    resolve: (value: JsonObject) => void,
    reject: (error: unknown) => void,
    { timeoutMs, maxTotalMs }: { readonly timeoutMs: number; readonly maxTotalMs: number },
  ) {
    this.#connection = connection;
    this.request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timeoutMs = timeoutMs;
    this.#maxTotalMs = maxTotalMs;
    const now = timeoutMs > 0 || maxTotalMs > 0 ? performance.now() : 0;
    this.#idleAt = timeoutMs > 0 ? now + timeoutMs : Number.POSITIVE_INFINITY;
    this.#totalAt = maxTotalMs > 0 ? now + maxTotalMs : Number.POSITIVE_INFINITY;
  }

  /** When the next of its deadlines expires; `Infinity` if none does. */
  get dueAt(): number {
    return this.holds > 0 ? this.#totalAt : Math.min(this.#idleAt, this.#totalAt);
  }

  get unattended(): SendFollower["unattended"] {
    return this.request.unattended;
  }

  /** Fires when the request has ended, for whoever works on it. */
  get signal(): AbortSignal {
    this.#ended ??= new AbortController();
    if (this.#isSettled) this.#ended.abort();
    return this.#ended.signal;
  }

  listenTo(signal: AbortSignal | undefined): void {
    if (!signal) return;
    this.#onAbort = () => this.end({ kind: "aborted", reason: signal.reason });
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Whether somebody waits for it. */
  get isPending(): boolean {
    return !this.#isSettled;
  }

  isWanted(): boolean {
    this.#refuse();
    return !this.#isSettled;
  }

  /** Asks again: credentials or a free connection may have been waited for. */
  onWriting(): void {
    this.#refuse();
    if (!this.#isSettled) this.isWritten = true;
  }

  /** Gives the request up if its caller does not want it written any more. */
  #refuse(): void {
    const error = this.#isSettled ? undefined : this.request.options.refusal?.();
    // An earlier message of the same request may have been carried out.
    if (error !== undefined)
      this.end({ kind: "failed", error: this.isWritten ? withUnknownOutcome(error) : error });
  }

  onRefused(login?: Promise<unknown>): void {
    this.isWritten = false;
    // The probe's time is for the server. A login takes as long as it takes, within the connect deadline.
    if (!login || !this.request.isHandshake) return;
    const release = this.#connection.hold([this]);
    login.then(release, release);
  }

  onFailed(error: unknown): void {
    this.end({ kind: "failed", error });
  }

  /** Restarts the idle deadline: the server has shown that it works on the request. */
  rewind(): void {
    if (this.#timeoutMs > 0) this.#idleAt = performance.now() + this.#timeoutMs;
  }

  /** Drops the idle deadline: the request stays open while nothing happens. */
  stayOpen(): void {
    this.#idleAt = Number.POSITIVE_INFINITY;
  }

  /** Progress restarts the idle deadline if it is higher than before (MCP, "Progress": it MUST increase). */
  progressed(progress: Progress): void {
    if (progress.progress > this.#highestProgress) {
      this.#highestProgress = progress.progress;
      this.rewind();
    }
    const { onProgress } = this.request.options;
    if (!onProgress) return;
    // Errors are ignored: the listener is the caller's own, who can catch them.
    this.#pace ??= createProgressPace((latest) => callListener(() => onProgress(latest)));
    this.#pace.push(progress);
  }

  answered(answer: Answer): void {
    this.isAnswered = true;
    try {
      const read = this.request.read(answer, this);
      if (read instanceof Promise) {
        // Whoever reads it may ask a person: that takes as long as it takes.
        const release = this.#connection.hold([this]);
        read.finally(release).then(this.#proceed, this.#failed);
      } else this.#proceed(read);
    } catch (error) {
      this.#failed(error);
    }
  }

  expire(now: number): void {
    const isTotal = this.#totalAt <= now;
    this.end({ kind: "expired", limitMs: isTotal ? this.#maxTotalMs : this.#timeoutMs, isTotal });
  }

  /** Ends the request without its answer. Has no effect once it has settled. */
  end(end: RequestEnd): void {
    const { request } = this;
    if (!this.#settle()) return;
    const error = request.explain ? request.explain(end, this.isWritten) : thrownAt(end);
    this.#reject(error);
    this.#connection.giveUp(this);
    request.settled?.(error);
  }

  readonly #failed = (error: unknown) => this.end({ kind: "failed", error });

  readonly #proceed = (read: JsonObject | NextRound) => {
    if (this.#isSettled) return;
    if (read instanceof NextRound) {
      this.isAnswered = false;
      this.rewind();
      this.#connection.send(this, read.params, read.headers);
      return;
    }
    this.#settle();
    this.#connection.forget(this);
    this.#resolve(read);
    this.request.settled?.();
  };

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#pace?.end();
    if (this.#onAbort) this.request.options.signal?.removeEventListener("abort", this.#onAbort);
    this.#ended?.abort();
    return true;
  }
}

function withUnknownOutcome(error: McpError): McpError {
  return new McpError(error.code, error.message, { ...error.toJSON(), outcome: "unknown", cause: error });
}

/** What a request rejects with if nobody explains its end. */
function thrownAt(end: RequestEnd): unknown {
  switch (end.kind) {
    case "failed":
      return end.error;
    case "aborted":
      return end.reason;
    case "expired":
      return new ChannelFault({ kind: "deadline-expired" });
    case "ended":
      return end.cause ?? new ChannelFault({ kind: "output-ended" });
  }
}

/** The result of an answer. @throws RpcError if the answer is an error. */
export function resultOf(answer: Answer): JsonObject {
  if ("result" in answer) return answer.result as JsonObject;
  throw new RpcError(answer.error);
}
