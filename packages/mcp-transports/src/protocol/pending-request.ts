import {
  type JsonObject,
  McpError,
  type Progress,
  type RequestEnding,
  type RequestTrace,
  type SessionRequestOptions,
} from "@jackfield/mcp-core";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { RpcError, TransportFault } from "../faults.ts";
import type { SendFollower } from "../transport.ts";
import type { Connection } from "./connection.ts";
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

/** Reads the answers to requests and explains why there is none. */
export interface RequestOwner {
  /** Reads an answer. May throw, or return what is to be sent next. */
  read(answer: Answer, request: PendingRequest): JsonObject | NextRound | Promise<JsonObject | NextRound>;
  /** Makes the error that the request rejects with. Default: what was thrown. */
  explain?(end: RequestEnd, request: PendingRequest): unknown;
  /** Called when the request has settled, with its error if it failed. */
  settled?(request: PendingRequest, error?: unknown): void;
}

/** A request to send. */
export interface OutgoingRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: SessionRequestOptions;
  readonly owner: RequestOwner;
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
}

/** A request that waits for its answer. It settles once. */
export class PendingRequest implements SendFollower {
  id = -1;
  /** Whether any of it was written and not refused. */
  isWritten = false;
  /** Whether it is held back until other calls have settled. */
  isWaiting = false;
  /** Its answer has arrived and is being read. */
  isAnswered = false;
  /** How many holds suspend the idle deadline. */
  holds = 0;
  /** How often a modern server has asked for input. */
  rounds = 0;
  /** It was refused, and is sent once more. */
  hasRecovered = false;
  headers: OutgoingRequest["headers"];
  /** Follows its latest message until that is answered. */
  trace: RequestTrace | undefined;
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
  readonly #linesBefore: number;
  readonly #answersBefore: number;

  constructor(
    connection: Connection,
    request: OutgoingRequest,
    resolve: (value: JsonObject) => void,
    reject: (error: unknown) => void,
    limits: { readonly callTimeoutMs: number; readonly maxTotalMs: number },
  ) {
    const { timeoutMs = limits.callTimeoutMs, maxTotalMs = limits.maxTotalMs } = request.options;
    this.#connection = connection;
    this.request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timeoutMs = timeoutMs;
    this.#maxTotalMs = maxTotalMs;
    const now = timeoutMs > 0 || maxTotalMs > 0 ? performance.now() : 0;
    this.#idleAt = timeoutMs > 0 ? now + timeoutMs : Number.POSITIVE_INFINITY;
    this.#totalAt = maxTotalMs > 0 ? now + maxTotalMs : Number.POSITIVE_INFINITY;
    this.#linesBefore = connection.transport.strayLines ?? 0;
    this.#answersBefore = connection.strayAnswers.count;
  }

  /** What has come since the request was made and belongs to none: lines that are no messages, and answers. */
  get strays(): { readonly lines: number; readonly answers: number; readonly lastAnswer: object } {
    const { transport, strayAnswers } = this.#connection;
    return {
      lines: (transport.strayLines ?? 0) - this.#linesBefore,
      answers: strayAnswers.count - this.#answersBefore,
      lastAnswer: strayAnswers.last,
    };
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

  /** Drops the idle deadline: the request stays open while nothing happens. For whoever follows it, that is its answer. */
  stayOpen(): void {
    this.#traced({ result: {} });
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
    this.#pace ??= new ProgressPace((latest) => callListener(() => onProgress(latest)));
    this.#pace.push(progress);
  }

  answered(answer: Answer): void {
    this.isAnswered = true;
    if ("error" in answer) this.#traced({ rpcError: answer.error });
    try {
      const read = this.request.owner.read(answer, this);
      if (read instanceof Promise) {
        // Whoever reads it may ask a person: that takes as long as it takes.
        const release = this.#connection.hold([this]);
        if ("result" in answer) this.#traced({ result: answer.result as JsonObject });
        read.finally(release).then(
          (last) => this.#proceed(last),
          (error) => this.onFailed(error),
        );
      } else this.#proceed(read);
    } catch (error) {
      this.onFailed(error);
    }
  }

  expire(now: number): void {
    const isTotal = this.#totalAt <= now;
    this.end({ kind: "expired", limitMs: isTotal ? this.#maxTotalMs : this.#timeoutMs, isTotal });
  }

  /** Ends the request without its answer. Has no effect once it has settled. */
  end(end: RequestEnd): void {
    const { owner } = this.request;
    if (!this.#settle()) return;
    const error = owner.explain ? owner.explain(end, this) : thrownAt(end);
    this.#traced({ error });
    this.#reject(error);
    this.#connection.giveUp(this);
    owner.settled?.(this, error);
  }

  #proceed(read: JsonObject | NextRound): void {
    if (this.#isSettled) return;
    this.#traced({ result: read instanceof NextRound ? {} : read });
    if (read instanceof NextRound) {
      this.isAnswered = false;
      this.rewind();
      this.#connection.send(this, read.params, read.headers);
      return;
    }
    this.#settle();
    this.#connection.forget(this);
    this.#resolve(read);
    this.request.owner.settled?.(this);
  }

  #traced(ending: RequestEnding): void {
    this.trace?.ended(ending);
    this.trace = undefined;
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#pace?.end();
    if (this.#onAbort) this.request.options.signal?.removeEventListener("abort", this.#onAbort);
    this.#ended?.abort();
    this.#connection.giveTurnBack(this);
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
      return new TransportFault({ kind: "deadline-expired" });
    case "ended":
      return end.cause ?? new TransportFault({ kind: "output-ended" });
  }
}

/** The result of an answer. @throws RpcError if the answer is an error. */
export function resultOf(answer: Answer): JsonObject {
  if ("result" in answer) return answer.result as JsonObject;
  throw new RpcError(answer.error);
}

/** The most reports of one request in a window. Of any more, only the latest is passed on. */
const MOST_IN_WINDOW = 20;
const WINDOW_MS = 1000;

/** A server may report every byte. The listener is called at most 20 times a second, always with the latest report. */
export class ProgressPace {
  readonly #listener: (progress: Progress) => void;
  #heard = 0;
  #latest: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(listener: (progress: Progress) => void) {
    this.#listener = listener;
  }

  push(progress: Progress): void {
    this.#latest = progress;
    if (!this.#timer) this.#beginWindow();
    if (this.#heard >= MOST_IN_WINDOW) return;
    this.#heard += 1;
    this.#flush();
  }

  /** The request has ended: passes on the report that was held back last. */
  end(): void {
    clearTimeout(this.#timer);
    this.#flush();
  }

  #flush(): void {
    const progress = this.#latest;
    this.#latest = undefined;
    if (progress) this.#listener(progress);
  }

  #beginWindow(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#heard = 0;
      if (!this.#latest) return;
      this.#heard = 1;
      this.#beginWindow();
      this.#flush();
    }, WINDOW_MS);
  }
}
