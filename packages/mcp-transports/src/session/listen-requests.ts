import type { JsonObject } from "@jackfield/mcp-core";
import type { JSONRPCMessage, SubscriptionFilter, Transport } from "@modelcontextprotocol/client";
import { isRecord, isText } from "../plain-values.ts";
import { type Unattended, unattendedOptions } from "../unattended.ts";
import { errorOf } from "./direct-requests.ts";
import { ENVELOPE_KEYS } from "./envelope-keys.ts";

/** What a server has agreed to tell of, until one of the two ends it. */
export interface Listening {
  /** Those of the resources that were asked for. */
  readonly resources: readonly string[];
  /** Resolves when it is over, whoever has ended it. */
  readonly closed: Promise<void>;
  /** Tells the server that nobody listens any more. Idempotent. */
  close(): void;
}

export interface ListenOptions {
  /** How long the server may take to say what it will tell of. */
  readonly timeoutMs: number;
  /** Ends it, also when it was agreed to. */
  readonly signal: AbortSignal;
  /** Nobody waits for it. Default: somebody does. */
  readonly unattended?: Unattended | undefined;
}

/**
 * Requests to be told of changes (MCP 2026-07-28, `subscriptions/listen`), as the SDK's client makes them: a server agrees by a
 * notification, and its answer is the end.
 */
export interface ListenRequests {
  /** Resolves when the server has said what it will tell of. Rejects as any request that fails on the wire. */
  open(filter: SubscriptionFilter, options: ListenOptions): Promise<Listening>;
  /** Whether a message of the server is about one of these requests, which hears it then. */
  take(message: JSONRPCMessage): boolean;
}

export interface ListenRequestsOptions {
  readonly send: Transport["send"];
  /** Tells the server that nobody waits for the answer to a request. */
  cancel(id: string): void;
  /** What every message says of its sender, as `_meta`. */
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
      const tooLate = new Error("the server did not say in time what it will tell of");
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

/** The request that a message agrees to, takes back, or answers. */
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
      this.end(isRefused ? errorOf(message) : new Error("the server has ended the subscription"));
    } else if (message.method === ACKNOWLEDGED)
      this.#granted.resolve(resourcesIn(message.params?.notifications));
    else this.end(new Error("the server has taken the subscription back"));
  }

  /** Whether it was under way until now. */
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
