import type { JsonObject, Progress } from "@jackfield/mcp-core";
import type {
  JSONRPCMessage,
  RequestId,
  RequestOptions as SdkRequestOptions,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { isQueueing, type QueueHooks } from "../queueing-transport.ts";
import { NO_SDK_TIMEOUT_MS } from "../sdk.ts";
import { createDirectRequests, type DirectRequests, type RpcAnswer } from "./direct-requests.ts";
import { createListenRequests, type ListenRequests } from "./listen-requests.ts";

/** A request that wants to know what happens to its messages. It may take several: input is asked for and sent along. */
export interface WatchedRequest {
  onWriting(): void;
  /** It was refused before it was processed, so it is as if it had not been written. */
  onRefused(): void;
  onProgress(progress: Progress): void;
  onAnswered(): void;
  /** The stream its answer was to come by has ended without it. */
  onBrokenOff(): void;
}

/** How a request is followed. */
export interface Watch {
  /** The options with which the request is handed to the SDK. */
  readonly options: SdkRequestOptions;
  /** The request is carried out by messages of another kind, of which nothing else is followed. */
  replaced(): void;
  /** Nobody waits any longer: an answer that still comes belongs to nobody. */
  stop(): void;
}

/** Follows requests on a transport, which the SDK shows nobody. */
export interface WireWatch {
  /** Requests that the SDK's client knows nothing of. */
  readonly direct: DirectRequests;
  readonly listens: ListenRequests;
  /**
   * Follows a request that the SDK makes. `answer`: it was made already and answered so; the first message for it is not sent, and that is
   * its answer.
   */
  watch(request: WatchedRequest, givenUp: AbortSignal, answer?: RpcAnswer): Watch;
}

/** A request on the wire that has no answer yet. The SDK's own have nobody who watches them. */
interface SentRequest {
  readonly watched?: WatchedMessages | undefined;
  isWritten: boolean;
  isWithdrawn: boolean;
}

interface WatchedMessages {
  readonly request: WatchedRequest;
  readonly ids: Set<RequestId>;
  answer: RpcAnswer | undefined;
}

type Incoming = Parameters<NonNullable<Transport["onmessage"]>>;

/**
 * The SDK hands the headers of a request to the transport with every message of it. A symbol among them never reaches the
 * wire and tells which of our requests the message belongs to.
 */
const WATCHED = Symbol("watched request");

/**
 * Begins to watch a transport that is connected. Only answers to requests that were sent and still wait reach the SDK, each
 * once, because the SDK reads ids as numbers: to it `""` and `null` are the request 0. `onStrayAnswer` hears of the others.
 */
export function watchWire(options: WireWatchOptions): WireWatch {
  return new TransportWatch(options);
}

export interface WireWatchOptions {
  readonly transport: Transport;
  /** See `DirectRequestsOptions`. */
  readonly envelope: JsonObject | undefined;
  onStrayAnswer(): void;
}

class TransportWatch implements WireWatch {
  readonly #transport: Transport;
  readonly #send: Transport["send"];
  readonly #deliver: Transport["onmessage"];
  readonly #onStrayAnswer: () => void;
  readonly direct: DirectRequests;
  readonly listens: ListenRequests;
  /** What the SDK has sent. */
  readonly #unanswered = new Map<RequestId, SentRequest>();

  constructor({ transport, envelope, onStrayAnswer }: WireWatchOptions) {
    this.#transport = transport;
    this.#send = transport.send.bind(transport);
    this.#deliver = transport.onmessage;
    this.#onStrayAnswer = onStrayAnswer;
    const direct = createDirectRequests({ transport, send: this.#send, envelope });
    this.direct = direct;
    this.listens = createListenRequests({ send: this.#send, cancel: direct.cancel, envelope });
    transport.send = (message, options) => this.#sendOut(message, options);
    transport.onmessage = (...incoming) => this.#takeIn(...incoming);
  }

  watch(request: WatchedRequest, givenUp: AbortSignal, answer?: RpcAnswer): Watch {
    const watched: WatchedMessages = { request, ids: new Set(), answer };
    return {
      options: {
        signal: givenUp,
        timeout: NO_SDK_TIMEOUT_MS,
        headers: { [WATCHED]: watched } as Record<string, string>,
        onprogress: () => {}, // has a progress token sent along, so that the server may ask for more time
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
    if (answer) this.#deliver?.({ ...answer, id });
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
      isWanted: () => !sent.isWithdrawn,
      onWriting() {
        sent.isWritten = true;
        watched.request.onWriting();
      },
      onRefused() {
        sent.isWritten = false;
        watched.request.onRefused();
      },
    };
    if (!isQueueing(this.#transport)) hooks.onWriting();
    const onRequestStreamEnd = () => {
      if (this.#unanswered.delete(id)) watched.request.onBrokenOff();
    };
    const followed = { ...options, hooks, onRequestStreamEnd };
    return this.#send(message, followed);
  }

  /** A request that is given up before it was written is not written at all, so there is nothing to cancel either. */
  #withdraws(message: JSONRPCMessage): boolean {
    if (!("method" in message) || message.method !== "notifications/cancelled") return false;
    const sent = this.#unanswered.get(message.params?.requestId as RequestId);
    if (sent && !sent.watched) this.#unanswered.delete(message.params?.requestId as RequestId);
    if (!sent?.watched || sent.isWritten) return false;
    sent.isWithdrawn = true;
    if (isQueueing(this.#transport)) this.#transport.noticeUnwanted?.();
    return true;
  }

  #takeIn(message: Incoming[0], extra: Incoming[1]): void {
    if (this.listens.take(message)) return;
    if (!("method" in message)) {
      this.#takeAnswer(message, extra);
      return;
    }
    // Read here, because the SDK drops progress that arrives in one piece with the answer.
    const isTaken = message.method === "notifications/progress" && this.#takeProgress(message.params ?? {});
    if (!isTaken) this.#deliver?.(message, extra);
  }

  #takeAnswer(message: RpcAnswer, extra: Incoming[1]): void {
    const id = this.#idOf(message.id);
    const direct = typeof id === "number" ? this.direct.find(id) : undefined;
    if (direct) {
      this.direct.remove(direct);
      direct.onAnswer(message);
      return;
    }
    const sent = id === undefined ? undefined : this.#unanswered.get(id);
    if (id === undefined || !sent) {
      this.#onStrayAnswer();
      return;
    }
    this.#unanswered.delete(id);
    sent.watched?.ids.delete(id);
    sent.watched?.request.onAnswered();
    this.#deliver?.(id === message.id ? message : { ...message, id }, extra);
  }

  /** Whether it belongs to a request that the SDK knows nothing of. */
  #takeProgress({ progressToken, progress, total, message }: { readonly [name: string]: unknown }): boolean {
    if (typeof progress !== "number") return false;
    const id = this.#idOf(progressToken);
    const direct = typeof id === "number" ? this.direct.find(id) : undefined;
    const request = direct ?? (id === undefined ? undefined : this.#unanswered.get(id)?.watched?.request);
    request?.onProgress({
      progress,
      total: typeof total === "number" ? total : undefined,
      message: typeof message === "string" ? message : undefined,
    });
    return direct !== undefined;
  }

  /** The request that an id names. Servers exist that turn the number 1 into `"1"`; no other spelling is taken for it. */
  #idOf(id: unknown): RequestId | undefined {
    if (typeof id === "number" || (typeof id === "string" && this.#unanswered.has(id))) return id;
    const number = Number(id);
    return typeof id === "string" && String(number) === id ? number : undefined;
  }
}
