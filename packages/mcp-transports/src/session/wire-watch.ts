import type { JsonObject, Progress } from "@jackfield/mcp-core";
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
  RequestOptions as SdkRequestOptions,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { isQueueing, type QueueHooks, type Received } from "../queueing-transport.ts";
import { NO_SDK_TIMEOUT_MS } from "../sdk.ts";
import { createDirectRequests, type DirectRequests, type RpcAnswer } from "./direct-requests.ts";
import { createListenRequests, type ListenRequests } from "./listen-requests.ts";
import { currentQuestion, type Question } from "./server-requests.ts";

/** A request that is told what happens to its messages. It takes several if the server asks for input. */
export interface WatchedRequest {
  /** Asked before each of its messages is written. */
  isWanted(): boolean;
  onWriting(): void;
  /** The message was refused before it was processed, so it counts as not written. */
  onRefused(): void;
  onProgress(progress: Progress): void;
  onAnswered(): void;
  /** The stream for its answer ended without the answer. */
  onBrokenOff(): void;
}

/** How a request is followed. */
export interface Watch {
  /** The options with which the request is handed to the SDK. */
  readonly options: SdkRequestOptions;
  /** Counts the request as written: other messages carry it out, which are not followed. */
  replaced(): void;
  /** Stops following the request. A late answer then counts as stray. */
  stop(): void;
}

/** Follows requests on the wire, which the SDK does not expose. */
export interface WireWatch {
  /** Requests that bypass the SDK's client. */
  readonly direct: DirectRequests;
  readonly listens: ListenRequests;
  /**
   * Follows a request that the SDK makes. `answer`: the request was sent already and got this answer; the SDK's first message for it is
   * not sent and receives the answer. `question`: whatever its answers ask.
   */
  watch(request: WatchedRequest, question: Question, givenUp: AbortSignal, answer?: RpcAnswer): Watch;
}

/** A request on the wire that has no answer yet. `watched` is missing for requests that the SDK makes of its own accord. */
interface SentRequest {
  readonly watched?: WatchedMessages | undefined;
  isWritten: boolean;
  isWithdrawn: boolean;
}

interface WatchedMessages {
  readonly request: WatchedRequest;
  readonly question: Question;
  readonly ids: Set<RequestId>;
  answer: RpcAnswer | undefined;
}

type Extra = Parameters<NonNullable<Transport["onmessage"]>>[1];

/**
 * The SDK passes the headers of a request to the transport with each of its messages. A symbol among them never reaches the wire, and
 * tells which of our requests the message belongs to.
 */
const WATCHED = Symbol("watched request");

/**
 * Begins to watch a connected transport. Only answers to pending requests reach the SDK, each once, because the SDK reads ids as numbers:
 * it takes `""` and `null` for the request 0. `onStrayAnswer` is called for the others.
 */
export function watchWire(options: WireWatchOptions): WireWatch {
  return new TransportWatch(options);
}

export interface WireWatchOptions {
  readonly transport: Transport;
  /** See `DirectRequestsOptions`. */
  readonly envelope: JsonObject | undefined;
  onStrayAnswer(): void;
  /** What a request of the server may belong to, if it came on the stream of this request of ours. */
  questionOn(stream: JSONRPCRequest | undefined): Question;
}

class TransportWatch implements WireWatch {
  readonly #transport: Transport;
  readonly #send: Transport["send"];
  readonly #deliver: Transport["onmessage"];
  readonly #onStrayAnswer: () => void;
  readonly #questionOn: WireWatchOptions["questionOn"];
  readonly direct: DirectRequests;
  readonly listens: ListenRequests;
  /** Requests that the SDK has sent. */
  readonly #unanswered = new Map<RequestId, SentRequest>();

  constructor({ transport, envelope, onStrayAnswer, questionOn }: WireWatchOptions) {
    this.#transport = transport;
    this.#send = transport.send.bind(transport);
    this.#deliver = transport.onmessage;
    this.#onStrayAnswer = onStrayAnswer;
    this.#questionOn = questionOn;
    const direct = createDirectRequests({ transport, send: this.#send, envelope });
    this.direct = direct;
    this.listens = createListenRequests({ send: this.#send, cancel: direct.cancel, envelope });
    transport.send = (message, options) => this.#sendOut(message, options);
    transport.onmessage = (message, extra) => {
      if (!("method" in message)) this.#takeAnswer(message, extra);
      else if (!this.listens.take(message)) this.#takeIn(message, extra);
    };
  }

  watch(request: WatchedRequest, question: Question, givenUp: AbortSignal, answer?: RpcAnswer): Watch {
    const watched: WatchedMessages = { request, question, ids: new Set(), answer };
    return {
      options: {
        signal: givenUp,
        timeout: NO_SDK_TIMEOUT_MS,
        headers: { [WATCHED]: watched } as Record<string, string>,
        onprogress: () => {}, // makes the SDK send a progress token, so that the server may ask for more time
      },
      replaced: () => request.onWriting(),
      stop: () => {
        for (const id of watched.ids) this.#unanswered.delete(id);
      },
    };
  }

  #sendOut(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    if (this.#withdraws(message)) return Promise.resolve();
    if (!("id" in message && "method" in message)) return this.#send(message, options);
    const { id } = message;
    const watched = (options?.headers as { readonly [WATCHED]?: WatchedMessages } | undefined)?.[WATCHED];
    if (watched?.answer) return this.#answerAtOnce(watched, id);
    const sent: SentRequest = { watched, isWritten: false, isWithdrawn: false };
    if (watched) return this.#sendFollowed(id, sent, watched, message, options);
    this.#unanswered.set(id, sent);
    return this.#send(message, options);
  }

  async #answerAtOnce(watched: WatchedMessages, id: RequestId): Promise<void> {
    const { answer } = watched;
    watched.answer = undefined;
    if (answer) this.#deliverAnswer(watched, { ...answer, id });
  }

  /** A modern server asks within its answer, so what the SDK's client asks the handlers from here on belongs to the request. */
  #deliverAnswer({ question }: WatchedMessages, answer: RpcAnswer, extra?: Extra): void {
    currentQuestion.run(question, () => this.#deliver?.(answer, extra));
  }

  #sendFollowed(
    id: RequestId,
    sent: SentRequest,
    watched: WatchedMessages,
    message: JSONRPCMessage,
    options: TransportSendOptions | undefined,
  ): Promise<void> {
    this.#unanswered.set(id, sent);
    watched.ids.add(id);
    const hooks: QueueHooks = {
      isWanted: () => !sent.isWithdrawn && watched.request.isWanted(),
      onWriting() {
        sent.isWritten = true;
        watched.request.onWriting();
      },
      onRefused() {
        sent.isWritten = false;
        watched.request.onRefused();
      },
    };
    if (!isQueueing(this.#transport)) {
      if (!hooks.isWanted()) return Promise.resolve();
      hooks.onWriting();
    }
    const onRequestStreamEnd = () => {
      if (this.#unanswered.delete(id)) watched.request.onBrokenOff();
    };
    const followed = { ...options, hooks, onRequestStreamEnd };
    return this.#send(message, followed);
  }

  /** A request that is given up before it was written is never written, so there is nothing to cancel. */
  #withdraws(message: JSONRPCMessage): boolean {
    if (!("method" in message) || message.method !== "notifications/cancelled") return false;
    const sent = this.#unanswered.get(message.params?.requestId as RequestId);
    if (sent && !sent.watched) this.#unanswered.delete(message.params?.requestId as RequestId);
    if (!sent?.watched || sent.isWritten) return false;
    sent.isWithdrawn = true;
    if (isQueueing(this.#transport)) this.#transport.noticeUnwanted?.();
    return true;
  }

  /** Takes a request or a notification. */
  #takeIn(message: Exclude<JSONRPCMessage, RpcAnswer>, extra: Extra): void {
    // Read here, because the SDK drops progress that arrives in one piece with the answer.
    const isTaken = message.method === "notifications/progress" && this.#takeProgress(message.params ?? {});
    if (isTaken) return;
    if (!("id" in message)) this.#deliver?.(message, extra);
    else {
      const question = this.#questionOn((extra as Received | undefined)?.onStreamOf);
      currentQuestion.run(question, () => this.#deliver?.(message, extra));
    }
  }

  #takeAnswer(message: RpcAnswer, extra: Extra): void {
    const id = typeof message.id === "number" ? message.id : this.#idOf(message.id);
    const direct = typeof id === "number" ? this.direct.unanswered.take(id) : undefined;
    if (direct) {
      direct.onAnswer(message);
      return;
    }
    if (this.listens.take(message)) return;
    const sent = id === undefined ? undefined : this.#unanswered.get(id);
    if (id === undefined || !sent) {
      this.#onStrayAnswer();
      return;
    }
    this.#unanswered.delete(id);
    sent.watched?.ids.delete(id);
    sent.watched?.request.onAnswered();
    const answer = id === message.id ? message : { ...message, id };
    if (sent.watched) this.#deliverAnswer(sent.watched, answer, extra);
    else this.#deliver?.(answer, extra);
  }

  /** Returns whether the progress belongs to a request that bypasses the SDK's client. */
  #takeProgress({ progressToken, progress, total, message }: { readonly [name: string]: unknown }): boolean {
    if (typeof progress !== "number") return false;
    const id = this.#idOf(progressToken);
    const direct = typeof id === "number" ? this.direct.unanswered.find(id) : undefined;
    const request = direct ?? (id === undefined ? undefined : this.#unanswered.get(id)?.watched?.request);
    request?.onProgress({
      progress,
      total: typeof total === "number" ? total : undefined,
      message: typeof message === "string" ? message : undefined,
    });
    return direct !== undefined;
  }

  /** The request id that a received id stands for. Some servers turn the number 1 into `"1"`; no other spelling is accepted. */
  #idOf(id: unknown): RequestId | undefined {
    if (typeof id === "number" || (typeof id === "string" && this.#unanswered.has(id))) return id;
    const number = Number(id);
    return typeof id === "string" && String(number) === id ? number : undefined;
  }
}
