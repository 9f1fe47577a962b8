import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import type { JSONRPCMessage, SubscriptionFilter, Transport } from "@modelcontextprotocol/client";
import { isText } from "../plain-values.ts";
import { type Unattended, unattendedOptions } from "../unattended.ts";
import { errorOf } from "./direct-requests.ts";
import { ENVELOPE_KEYS } from "./envelope-keys.ts";

/** An acknowledged subscription, until either side ends it. */
export interface Listening {
  /** The resources whose changes the server will report. */
  readonly resources: readonly string[];
  /** Resolves when the subscription has ended, whichever side ended it. */
  readonly closed: Promise<void>;
  /** Cancels the subscription. Idempotent. */
  close(): void;
}

export interface ListenOptions {
  /** How long the server may take to acknowledge the subscription, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the subscription, also after it was acknowledged. */
  readonly signal: AbortSignal;
  /** Set if no caller waits for the request. */
  readonly unattended?: Unattended | undefined;
}

/**
 * Subscriptions to changes (MCP 2026-07-28, `subscriptions/listen`), as the SDK's client makes them: a server acknowledges one
 * by a notification, and ends it by its answer.
 */
export interface ListenRequests {
  /** Resolves when the server has acknowledged the subscription. Rejects like any request that fails on the wire. */
  open(filter: SubscriptionFilter, options: ListenOptions): Promise<Listening>;
  /** Passes a message of the server to the request that it concerns. Returns whether there is one. */
  take(message: JSONRPCMessage): boolean;
}

export interface ListenRequestsOptions {
  readonly send: Transport["send"];
  /** Cancels a request. */
  cancel(id: string): void;
  /** The `_meta` about the sender in every message. */
  readonly envelope: JsonObject | undefined;
}

export function createListenRequests(options: ListenRequestsOptions): ListenRequests {
  const { send, cancel, envelope } = options;
  const underWay = new Map<unknown, ListenRequest>();
  let count = 0;
  return {
    async open(filter, { timeoutMs, signal, unattended }) {
      signal.throwIfAborted();
      const id = `listen:${count++}`;
      const request = new ListenRequest();
      underWay.set(id, request);
      const giveUp = (reason: unknown) => {
        if (request.end(reason)) cancel(id);
      };
      const onAbort = () => giveUp(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      void request.closed.then(() => {
        underWay.delete(id);
        signal.removeEventListener("abort", onAbort);
      });
      const params = { _meta: { ...envelope }, notifications: filter };
      const message = { jsonrpc: "2.0", id, method: "subscriptions/listen", params } as const;
      send(message, unattended && unattendedOptions(unattended)).catch((error) => request.end(error));
      const tooLate = new Error("the server did not acknowledge the subscription in time");
      const timer = setTimeout(() => giveUp(tooLate), timeoutMs);
      try {
        const resources = await request.granted;
        return { resources, closed: request.closed, close: () => giveUp(undefined) };
      } finally {
        clearTimeout(timer);
      }
    },
    take(message) {
      const request = underWay.size === 0 ? undefined : underWay.get(requestNamedIn(message));
      request?.hear(message);
      return request !== undefined;
    },
  };
}

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** The id of the request that a message acknowledges, cancels or answers. */
function requestNamedIn(message: JSONRPCMessage): unknown {
  if (!("method" in message)) return message.id;
  const { method, params } = message;
  if (method === "notifications/cancelled") return params?.requestId;
  return method === ACKNOWLEDGED ? params?._meta?.[ENVELOPE_KEYS.subscriptionId] : undefined;
}

class ListenRequest {
  readonly #granted = Promise.withResolvers<readonly string[]>();
  readonly #closed = Promise.withResolvers<void>();
  #isOver = false;

  get granted(): Promise<readonly string[]> {
    return this.#granted.promise;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  hear(message: JSONRPCMessage): void {
    if (!("method" in message)) {
      const isRefused = "error" in message;
      this.end(isRefused ? errorOf(message) : new Error("the server ended the subscription"));
    } else if (message.method === ACKNOWLEDGED)
      this.#granted.resolve(resourcesIn(message.params?.notifications));
    else this.end(new Error("the server withdrew the subscription"));
  }

  /** Ends the request. Returns false if it had already ended. */
  end(reason: unknown): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#granted.reject(reason);
    this.#closed.resolve();
    return true;
  }
}

function resourcesIn(notifications: unknown): readonly string[] {
  const resources = isRecord(notifications) ? notifications.resourceSubscriptions : undefined;
  return Array.isArray(resources) ? resources.filter(isText) : [];
}
