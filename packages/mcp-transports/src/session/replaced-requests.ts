import { type Handshake, type JsonObject, McpError, type SessionMethods } from "@jackfield/mcp-core";
import { type ChangeSubscriptionOptions, createChangeSubscription } from "./change-subscription.ts";
import { ENVELOPE_KEYS } from "./envelope-keys.ts";

/** Requests that protocol 2026-07-28 no longer has, carried out by its own means, so that a host need not know the era. */
export interface ReplacedRequests {
  /**
   * `resources/subscribe` and `resources/unsubscribe` change the session's one subscription, `logging/setLevel` the `_meta` of every
   * later request. `undefined`: the request is sent as it is.
   */
  find(method: string, params: unknown): (() => Promise<JsonObject>) | undefined;
  /** Added to the `_meta` of every request. */
  readonly meta: JsonObject | undefined;
  /** Subscribes to changes of lists. Idempotent. Missing where servers report changes unasked. */
  listen?(): void;
  close(): void;
}

/** For a legacy server there is nothing to replace. */
export function createReplacedRequests(
  era: Handshake["era"],
  options: ChangeSubscriptionOptions,
): ReplacedRequests {
  return era === "modern" ? new ModernRequests(options) : NOTHING_REPLACED;
}

const NOTHING_REPLACED: ReplacedRequests = {
  find: () => undefined,
  meta: undefined,
  close() {},
};

class ModernRequests implements ReplacedRequests {
  readonly #server: string;
  readonly #changes;
  meta: JsonObject | undefined;

  constructor(options: ChangeSubscriptionOptions) {
    this.#server = options.server;
    this.#changes = createChangeSubscription(options);
  }

  find(method: string, params: unknown): (() => Promise<JsonObject>) | undefined {
    switch (method) {
      case "resources/subscribe":
        return () => this.#subscribe(params as SessionMethods["resources/subscribe"]["params"]);
      case "resources/unsubscribe":
        return () => this.#unsubscribe(params as SessionMethods["resources/unsubscribe"]["params"]);
      case "logging/setLevel":
        return () => this.#setLevel(params as SessionMethods["logging/setLevel"]["params"]);
      default:
        return undefined;
    }
  }

  listen(): void {
    this.#changes.open();
  }

  close(): void {
    this.#changes.close();
  }

  async #subscribe({ uri }: { readonly uri: string }): Promise<JsonObject> {
    if (await this.#changes.add(uri)) return {};
    const server = this.#server;
    const message = `Server "${server}" does not report changes of the resource "${uri}"; read it again instead.`;
    throw new McpError("MCP_REQUEST_REJECTED", message, { server, outcome: "rejected" });
  }

  async #unsubscribe({ uri }: { readonly uri: string }): Promise<JsonObject> {
    await this.#changes.remove(uri);
    return {};
  }

  async #setLevel({ level }: { readonly level: string }): Promise<JsonObject> {
    this.meta = { [ENVELOPE_KEYS.logLevel]: level };
    return {};
  }
}
