import { AsyncResource } from "node:async_hooks";
import { setImmediate as afterReading } from "node:timers";
import {
  isSameJson,
  type JsonObject,
  type McpError,
  startTimer,
  type TraceRequest,
} from "@jackfield/mcp-core";
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/client";
import type { Transport } from "../transport.ts";
import { type Answer, type OutgoingRequest, PendingRequest } from "./pending-request.ts";

/** A request or a notification of the server. */
export type ServerMessage = Extract<JSONRPCMessage, { method: string }>;

export interface ConnectionOptions {
  readonly transport: Transport;
  /** In milliseconds, for requests that have none of their own; `0` means no limit. */
  readonly limits: {
    readonly callTimeoutMs: number;
    readonly maxTotalMs: number;
    readonly maxConcurrentCalls: number;
  };
  readonly listener: ConnectionListener;
  readonly trace?: TraceRequest | undefined;
  /** An answer arrived that no request waits for. `count`: how many there were so far. */
  onStrayAnswer(count: number): void;
  /** Receives errors that belong to no request. */
  onProblem(error: Error): void;
  /** Hears every message, ours before they are written. */
  onMessage?: ((from: "client" | "server", message: JSONRPCMessage) => void) | undefined;
}

/** Hears what happens to a connection. */
export interface ConnectionListener {
  /** Receives the server's requests and notifications, with our request on whose stream they came, if the transport can tell. */
  onServerMessage(message: ServerMessage, stream: JSONRPCRequest | undefined): void;
  /** A request was given up that the server may still work on. */
  onAbandoned?(request: PendingRequest): void;
  /** The transport has ended. */
  onEnd(): void;
}

/** No request waits longer than this for messages that had arrived before its deadline, in turns of the event loop. */
const MOST_READING_TURNS = 50;

/** What only clients say. */
const CLIENT_NOTIFICATIONS = new Set(["notifications/initialized", "notifications/roots/list_changed"]);

/** The calls that wait for their turn where none has to. */
const NONE: ReadonlyMap<PendingRequest, () => void> = new Map();

/** How many of our latest answers are kept to recognise an echo. */
const MOST_ECHOES = 64;

/**
 * One conversation with a server: sends requests and matches the answers to them, keeps their deadlines with a single timer, and passes
 * on what the server says of its own accord. Both eras of the protocol and all transports use it.
 */
export class Connection {
  /** The `_meta` about the sender in every message of the modern era. */
  envelope: JsonObject | undefined;
  /** Set by the handshake. */
  protocolVersion: string | undefined;
  /** Whether the server may speak unasked. Until then, whatever it says but answers is ignored. */
  isListening = false;
  /** The answers so far that no request waited for, and the last of them. */
  readonly strayAnswers: { count: number; last: object } = { count: 0, last: {} };
  isEnded = false;
  /** Replaced when the handshake is complete. */
  listener: ConnectionListener;
  readonly transport: Transport;
  readonly #options: ConnectionOptions;
  readonly #pending = new Map<number, PendingRequest>();
  /** Missing if any number of calls may be with the server. */
  readonly #turns: CallTurns | undefined;
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;
  /** Counts the messages that arrived. */
  #heard = 0;
  /** Set once the other side has repeated a message: our latest answers, which it will repeat as well. */
  #echoing: Map<RequestId, Answer> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { maxConcurrentCalls } = options.limits;
    if (maxConcurrentCalls > 0) this.#turns = new CallTurns(maxConcurrentCalls);
    this.transport = options.transport;
    this.listener = options.listener;
    this.transport.onmessage = (message, stream) => this.#take(message, stream);
    this.transport.onerror = options.onProblem;
    this.transport.onclose = () => {
      this.isEnded = true;
      this.listener.onEnd();
    };
  }

  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** The requests that wait for an answer. */
  get pending(): Iterable<PendingRequest> {
    return this.#pending.values();
  }

  /** Sends a request. Resolves with what its owner reads, and rejects with how that explains its end. */
  request(request: OutgoingRequest): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const { signal } = request.options;
      const pending = new PendingRequest(this, request, resolve, reject, this.#options.limits);
      if (signal?.aborted) pending.end({ kind: "aborted", reason: signal.reason });
      else {
        pending.listenTo(signal);
        request.begun?.(pending);
        if (this.#turns === undefined) this.send(pending, request.params, request.headers);
        else this.#sendInTurn(pending, this.#turns);
      }
    });
  }

  /** Until its turn comes, nothing of a call is written, and only its total deadline runs. */
  #sendInTurn(pending: PendingRequest, turns: CallTurns): void {
    const { method, params, headers } = pending.request;
    const send = () => this.send(pending, params, headers);
    if (method !== "tools/call" || turns.take(pending)) {
      send();
      return;
    }
    pending.isWaiting = true;
    const release = this.hold([pending]);
    this.#wakeFor(pending);
    const sendNow = () => {
      pending.isWaiting = false;
      release();
      send();
    };
    // Whoever traces it, or makes its HTTP request, sees the call's own asynchronous context, not that of the call before it.
    turns.waiting.set(pending, AsyncResource.bind(sendNow));
  }

  /** Lets the next call be sent after this one has settled, in whatever way. */
  giveTurnBack(pending: PendingRequest): void {
    this.#turns?.giveBack(pending);
  }

  /** Sends a request, or its next round, under a new id. */
  send(pending: PendingRequest, params: JsonObject, headers: OutgoingRequest["headers"]): void {
    this.forget(pending);
    const id = this.#newId();
    const { method, isHandshake, meta = params._meta as JsonObject | undefined } = pending.request;
    pending.id = id;
    pending.headers = headers;
    this.#pending.set(id, pending);
    this.#wakeFor(pending);
    const { protocolVersion } = this;
    const trace = this.#options.trace?.({ id, method, params, protocolVersion });
    pending.trace = trace;
    const _meta = { ...this.envelope, ...meta, ...trace?.meta, progressToken: id };
    const inHandshake = trace?.meta ? { ...params, _meta: { ...meta, ...trace.meta } } : params;
    const sent = isHandshake ? inHandshake : { ...params, _meta };
    const message: JSONRPCMessage = { jsonrpc: "2.0", id, method, params: sent };
    this.#options.onMessage?.("client", message);
    const post = () => this.transport.post(message, pending);
    if (trace) trace.within(post);
    else post();
  }

  /** Sends a notification. Resolves once it is accepted. */
  notify(method: string, params?: JsonObject): Promise<void> {
    const meta = this.envelope && { _meta: { ...this.envelope, ...(params?._meta as JsonObject) } };
    const whole = params === undefined && meta === undefined ? undefined : { ...params, ...meta };
    return this.#write({ jsonrpc: "2.0", method, ...(whole && { params: whole }) });
  }

  /** Answers a request of the server. */
  reply(answer: Answer): Promise<void> {
    if (this.#echoing) {
      if (this.#echoing.size === MOST_ECHOES) this.#echoing.clear();
      this.#echoing.set(answer.id as RequestId, answer);
    }
    return this.#write(answer);
  }

  #write(message: JSONRPCMessage): Promise<void> {
    this.#options.onMessage?.("client", message);
    return this.transport.send(message);
  }

  /** Suspends the idle deadlines of these requests until the returned function is called: the server waits for an answer of ours. */
  hold(requests: Iterable<PendingRequest>): () => void {
    const held = [...requests];
    for (const request of held) request.holds += 1;
    return () => {
      for (const request of held.splice(0)) {
        request.holds -= 1;
        request.rewind();
        if (this.#pending.get(request.id) === request) this.#wakeFor(request);
      }
    };
  }

  /** Ends every pending request. Nothing may be sent after that. No cause means that the host closed the session. */
  end(cause: McpError | undefined): void {
    for (const pending of [...this.#pending.values(), ...this.#waiting.keys()])
      pending.end({ kind: "ended", cause });
    clearTimeout(this.#timer);
  }

  /** Removes a request that has settled or begins another round. */
  forget(pending: PendingRequest): void {
    if (this.#pending.get(pending.id) === pending) this.#pending.delete(pending.id);
    // A timer that is no longer needed stays set, but does not keep the process alive. One request may stay open for ever.
    if (this.#pending.size <= 1 && this.#waiting.size === 0 && !this.#hasDeadline()) this.#timer?.unref();
  }

  #hasDeadline(): boolean {
    for (const { dueAt } of this.#pending.values()) if (dueAt < Number.POSITIVE_INFINITY) return true;
    return false;
  }

  get #waiting(): ReadonlyMap<PendingRequest, () => void> {
    return this.#turns?.waiting ?? NONE;
  }

  /** Gives up a request whose answer is no longer wanted. The server is told if it may have received it. */
  giveUp(pending: PendingRequest): void {
    if (this.#pending.get(pending.id) !== pending) return;
    this.forget(pending);
    const { id, isWritten, isAnswered, request } = pending;
    if (isAnswered || request.isHandshake || this.isEnded) return;
    if (isWritten) this.listener.onAbandoned?.(pending);
    // In the modern era, over HTTP, the end of a request's own stream cancels it (MCP 2026-07-28, Streamable HTTP, "Cancellation").
    const endsByStream = this.envelope !== undefined && this.transport.abandon !== undefined;
    const params = { requestId: id, reason: "the caller no longer waits" };
    if (isWritten && !endsByStream) this.notify("notifications/cancelled", params).catch(() => {});
    if (!isWritten) this.transport.noticeUnwanted?.();
    this.transport.abandon?.(id);
  }

  #newId(): number {
    do this.#lastId = this.#lastId === LAST_ID ? 1 : this.#lastId + 1;
    while (this.#pending.has(this.#lastId));
    return this.#lastId;
  }

  #take(message: JSONRPCMessage, stream: JSONRPCRequest | undefined): void {
    this.#heard += 1;
    this.#options.onMessage?.("server", message);
    if (this.#isEcho(message)) return;
    if (!("method" in message)) this.#takeAnswer(message);
    else if (message.method === "notifications/progress") this.#takeProgress(message.params ?? {});
    else if (this.isListening) this.listener.onServerMessage(message, stream);
  }

  /** Whether a message is one of ours, which the other side repeats: a terminal between the two, or a program that is no server. */
  #isEcho(message: JSONRPCMessage): boolean {
    if (!("method" in message)) {
      const reply = this.#echoing?.get(message.id as RequestId);
      if (!reply || !isSameJson(reply, message)) return false;
      this.#echoing?.delete(message.id as RequestId);
      return true;
    }
    if (!("id" in message)) return CLIENT_NOTIFICATIONS.has(message.method);
    const pending = this.#find(message.id);
    if (pending?.request.method !== message.method) return false;
    // What both sides may ask for is ours if it bears our token.
    const isOurs = pending.request.isHandshake || message.params?._meta?.progressToken === message.id;
    if (isOurs) this.#echoing ??= new Map();
    return isOurs;
  }

  #takeAnswer(answer: Answer): void {
    const pending = this.#find(answer.id);
    if (pending && !pending.isAnswered) pending.answered(answer);
    else {
      this.strayAnswers.count += 1;
      this.strayAnswers.last = answer;
      this.#options.onStrayAnswer(this.strayAnswers.count);
    }
  }

  #takeProgress({ progressToken, progress, total, message }: { readonly [name: string]: unknown }): void {
    if (typeof progress !== "number") return;
    this.#find(progressToken)?.progressed({
      progress,
      total: typeof total === "number" ? total : undefined,
      message: typeof message === "string" ? message : undefined,
    });
  }

  /** Some servers turn the number 1 into `"1"`; no other spelling of an id is accepted. */
  #find(id: unknown): PendingRequest | undefined {
    if (typeof id === "number") return this.#pending.get(id);
    const number = typeof id === "string" ? Number(id) : Number.NaN;
    return String(number) === id ? this.#pending.get(number) : undefined;
  }

  #wakeFor({ dueAt }: PendingRequest): void {
    this.#timer?.ref();
    if (dueAt >= this.#wakesAt) return;
    clearTimeout(this.#timer);
    this.#wakesAt = dueAt;
    const delayMs = Math.max(1, Math.ceil(dueAt - performance.now()));
    this.#timer = startTimer(() => this.#wake(performance.now(), 0, this.#heard), delayMs);
  }

  /** What had arrived before a deadline is read before the deadline counts, even if the event loop was blocked until now. */
  #wake(now: number, turns: number, heard: number): void {
    afterReading(() => {
      if (this.#heard !== heard && turns < MOST_READING_TURNS) this.#wake(now, turns + 1, this.#heard);
      else this.#expireUntil(now);
    });
  }

  #expireUntil(now: number): void {
    this.#timer = undefined;
    this.#wakesAt = Number.POSITIVE_INFINITY;
    for (const pending of [...this.#pending.values(), ...this.#waiting.keys()]) {
      if (pending.dueAt > now) this.#wakeFor(pending);
      else pending.expire(now);
    }
  }
}

/** Lets so many calls be with the server at a time, in the order in which they came. A call keeps its turn over all its rounds. */
class CallTurns {
  /** The calls that wait, each with what sends it. */
  readonly waiting = new Map<PendingRequest, () => void>();
  readonly #most: number;
  readonly #taken = new Set<PendingRequest>();

  constructor(most: number) {
    this.#most = Math.max(1, Math.floor(most));
  }

  /** Whether there is a turn for a call at once. */
  take(call: PendingRequest): boolean {
    if (this.#taken.size >= this.#most || this.waiting.size > 0) return false;
    this.#taken.add(call);
    return true;
  }

  giveBack(call: PendingRequest): void {
    this.waiting.delete(call);
    if (!this.#taken.delete(call) || this.waiting.size === 0) return;
    // Afterwards: what ended this call, such as a signal, may be about to end those that wait.
    queueMicrotask(() => this.#passOn());
  }

  #passOn(): void {
    for (const [next, send] of this.waiting) {
      if (this.#taken.size >= this.#most) break;
      this.waiting.delete(next);
      this.#taken.add(next);
      send();
    }
  }
}

/** Ids fit into 32 bits, for servers that read them so. */
const LAST_ID = 2 ** 31 - 1;
