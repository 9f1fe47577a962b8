import { AsyncResource } from "node:async_hooks";
import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";
import { sdkErrorOf } from "../http/refusal-error.ts";
import { isAnswer } from "../message-check.ts";
import { isRecordOrMissing } from "../plain-values.ts";
import { isQueueing } from "../queueing-transport.ts";
import { loadedSdk } from "../sdk.ts";
import {
  createOpenServerRequests,
  MOST_OPEN_SERVER_REQUESTS,
  type OpenServerRequests,
} from "./open-server-requests.ts";

/** A request of the client that is part of the handshake. */
export interface HandshakeRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

/** What became of a request: its answer, good or bad, or why there is none. */
export type Outcome =
  | { readonly kind: "answer"; readonly answer: JSONRPCMessage }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "closed" | "silent" };

/** The most messages kept for the SDK's client. Requests beyond them are refused, so that their server does not wait. */
const MOST_KEPT = 100;

/** `-32603` is JSON-RPC's internal error: it has no code of its own for a client that is busy. */
const TOO_MANY_REQUESTS = {
  code: -32603,
  message: `${MOST_KEPT} requests already wait for the client to get ready. Send this one later.`,
};

/** In characters. An answer repeats the id and keeps it in memory while it waits. */
const LONGEST_ID = 1024;

/**
 * A transport whose handshake was made before the SDK was loaded. The SDK's client may be connected to it later. It repeats the requests of
 * the handshake and is given the recorded answers or errors, so the server receives each request once.
 *
 * Until then, the transport keeps the server's requests and passes on its notifications.
 */
export interface RehearsedTransport extends Transport {
  /** Sends a request. Without an answer within `patienceMs`, the outcome is `silent`. */
  ask(request: HandshakeRequest, patienceMs?: number): Promise<Outcome>;
  /** Sends `notifications/initialized`. The one of the SDK's client is then not sent. */
  tellInitialized(): Promise<void>;
  readonly isEnded: boolean;
  /** Calls the listener when the transport has ended. */
  whenEnded(listener: () => void): void;
  /** Calls the listener when the server sends something that only the SDK's client can handle. */
  whenNeeded(listener: () => void): void;
  /** Gives the kept messages to the SDK's client, which is now connected. */
  deliverKept(): void;
}

export interface RehearsalOptions {
  /** Receives notifications while no SDK client is connected. */
  onNotification(notification: { readonly method: string; readonly params?: unknown }): void;
  /** Receives errors that belong to no request while no SDK client is connected. */
  onProblem(error: Error): void;
}

/** Takes over a transport and starts it. Nothing else may set listeners on it. */
export async function rehearse(transport: Transport, options: RehearsalOptions): Promise<RehearsedTransport> {
  const rehearsed = new Rehearsal(transport, options);
  await transport.start();
  return rehearsed;
}

/** While this request is pending there is no session yet, so other messages of the server are ignored. */
const PROBE = "server/discover";

interface PendingRequest {
  readonly id: RequestId;
  readonly method: string;
  settle(outcome: Outcome): void;
}

class Rehearsal implements RehearsedTransport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  readonly #transport: Transport;
  readonly #options: RehearsalOptions;
  readonly #openServerRequests: OpenServerRequests;
  readonly #outcomes = new Map<string, Outcome>();
  #pending: PendingRequest | undefined;
  #isInitialized = false;
  /** Each delivers one message in the asynchronous context in which it came, which says whose question it is. */
  #kept: (() => void)[] | undefined = [];
  isEnded = false;
  #onEnded: (() => void) | undefined;
  readonly #needed = Promise.withResolvers<void>();

  constructor(transport: Transport, options: RehearsalOptions) {
    this.#transport = transport;
    this.#options = options;
    // This is how the SDK recognises a transport that is a pipe.
    const isPipe = "pid" in transport;
    if (isPipe) Object.assign(this, { pid: null, stderr: null });
    this.#openServerRequests = createOpenServerRequests({ hasConnections: isQueueing(transport) && !isPipe });
    transport.onmessage = (message, extra) => {
      if (this.#pending === undefined && isAnswer(message)) this.onmessage?.(message, extra);
      else if (this.#kept) this.#take(message);
      else if (this.#mayPass(message)) this.onmessage?.(message, extra);
    };
    transport.onerror = (error) => (this.onerror ?? options.onProblem)(error);
    transport.onclose = () => {
      this.#pending?.settle({ kind: "closed" });
      this.onclose?.();
      this.isEnded = true;
      this.#onEnded?.();
    };
  }

  get hasPerRequestStream(): boolean {
    return this.#transport.hasPerRequestStream === true;
  }

  setProtocolVersion(version: string): void {
    this.#transport.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {} // `rehearse` has started it

  close(): Promise<void> {
    return this.#transport.close();
  }

  async ask(request: HandshakeRequest, patienceMs?: number): Promise<Outcome> {
    const { id, method } = request;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#pending = { id, method, settle: resolve };
    const timer =
      patienceMs === undefined ? undefined : setTimeout(() => resolve({ kind: "silent" }), patienceMs);
    this.#transport
      .send({ jsonrpc: "2.0", ...request } as JSONRPCRequest)
      .catch((error) => resolve({ kind: "failed", error }));
    const outcome = await promise;
    clearTimeout(timer);
    this.#pending = undefined;
    this.#outcomes.set(method, outcome);
    return outcome;
  }

  async tellInitialized(): Promise<void> {
    this.#isInitialized = true;
    await this.#transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const method = "method" in message ? message.method : undefined;
    if (method === "notifications/initialized") {
      if (this.#isInitialized) return;
      this.#isInitialized = true;
    }
    const outcome = method === undefined ? undefined : this.#outcomes.get(method);
    if (method === undefined || outcome === undefined || !("id" in message)) {
      const send = () => this.#transport.send(message, options);
      const answered = "method" in message ? undefined : message.id;
      await (answered === undefined ? send() : this.#openServerRequests.answer(answered, send)).catch(
        throwToSdk,
      );
      return;
    }
    this.#outcomes.delete(method);
    if (outcome.kind === "failed") throwToSdk(outcome.error);
    if (outcome.kind === "closed") this.onclose?.();
    if (outcome.kind === "answer") this.onmessage?.({ ...outcome.answer, id: message.id } as JSONRPCMessage);
  }

  whenEnded(listener: () => void): void {
    this.#onEnded = listener;
    if (this.isEnded) queueMicrotask(listener);
  }

  whenNeeded(listener: () => void): void {
    void this.#needed.promise.then(listener);
  }

  deliverKept(): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const deliver of kept) deliver();
  }

  #take(message: JSONRPCMessage): void {
    if (isAnswer(message)) this.#takeAnswer(message);
    else if (this.#pending?.method === PROBE || isProgress(message)) return;
    else if (isPlainNews(message)) {
      const { method, params } = message;
      this.#options.onNotification({ method, params });
    } else if (isRequest(message) && message.method === "ping") {
      // Some servers send one every few seconds.
      this.#answer({ jsonrpc: "2.0", id: message.id, result: {} });
    } else if (this.#kept && this.#kept.length < MOST_KEPT) {
      this.#kept.push(AsyncResource.bind(() => this.onmessage?.(message)));
      this.#needed.resolve();
    } else if (isRequest(message)) {
      this.#answer({ jsonrpc: "2.0", id: message.id, error: TOO_MANY_REQUESTS });
    }
  }

  /** Answers a request that the SDK's client does not get. */
  #answer(answer: JSONRPCMessage & { readonly id: RequestId }): void {
    if (!this.#mayAsk(answer.id)) return;
    this.#openServerRequests.answer(answer.id, () => this.#transport.send(answer)).catch(() => {});
  }

  /** Limits the requests of a legacy server. A modern server's requests are never answered, so they need no limit. */
  #mayPass(message: JSONRPCMessage): boolean {
    if (!this.#isInitialized || !("method" in message)) return true;
    if ("id" in message) return this.#mayAsk(message.id);
    if (message.method === "notifications/cancelled")
      this.#openServerRequests.withdraw(message.params?.requestId as RequestId);
    return true;
  }

  /** Ends the connection to a server with too many open requests: it would go on, and nothing that it says can be relied on. */
  #mayAsk(id: RequestId): boolean {
    const transport = this.#transport;
    if (!isQueueing(transport)) return true; // a server in this process can do worse
    if (this.isEnded || String(id).length > LONGEST_ID) return false;
    const isOpened = this.#openServerRequests.open(id);
    if (!isOpened)
      transport.fail?.(new ChannelFault({ kind: "too-many-questions", limit: MOST_OPEN_SERVER_REQUESTS }));
    return isOpened;
  }

  #takeAnswer(answer: JSONRPCMessage & { readonly id?: unknown }): void {
    // Some servers return the id as a string.
    if (this.#pending && String(this.#pending.id) === String(answer.id)) {
      this.#pending.settle({ kind: "answer", answer });
      this.#pending = undefined;
    } else this.onmessage?.(answer);
  }
}

function throwToSdk(error: unknown): never {
  const sdk = loadedSdk();
  throw sdk === undefined ? error : sdkErrorOf(error, sdk);
}

/** The wire watch handles the progress of pending requests. What arrives here belongs to no request. */
function isProgress(message: JSONRPCMessage): boolean {
  return "method" in message && message.method === "notifications/progress";
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return "method" in message && "id" in message;
}

/** Whether a message is a notification that the SDK's client would pass on unchanged. */
function isPlainNews(message: JSONRPCMessage): message is JSONRPCNotification {
  if ("id" in message || !("method" in message) || typeof message.method !== "string") return false;
  const { jsonrpc, method, params, ...more } = message;
  return (
    jsonrpc === "2.0" &&
    method !== "notifications/cancelled" &&
    (params === undefined || (isRecord(params) && isRecordOrMissing(params._meta))) &&
    Object.keys(more).length === 0
  );
}
