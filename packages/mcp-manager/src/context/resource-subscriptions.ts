import { type Logger, McpError, raceSignal, type Session, thrownText, toMcpError } from "@jackfield/mcp-core";

/** Called when a resource has changed. It has to read the resource to see the change. */
export type ResourceListener = () => unknown;

export interface ResourceSubscriptionsOptions {
  readonly server: string;
  readonly log: Logger;
}

/** The subscriptions that one session was told of. Each session starts without any. */
interface SessionSubscriptions {
  readonly session: Session;
  readonly uris: Set<string>;
  /** The loops under way, by resource. */
  readonly loops: Map<string, Promise<void>>;
}

/**
 * The subscriptions to one server's resources. The wanted state is kept apart from the state that the server was told, and one loop
 * for each resource reconciles them: a subscription that is cancelled while it is being made is undone, and one that is wanted again
 * meanwhile stays ([N3], [N4]).
 */
export class ResourceSubscriptions {
  readonly #options: ResourceSubscriptionsOptions;
  readonly #wanted = new Map<string, Set<ResourceListener>>();
  #active: SessionSubscriptions | undefined;

  constructor(options: ResourceSubscriptionsOptions) {
    this.#options = options;
  }

  /**
   * Subscribes to a resource, in this session and every later one, until the returned function is called. Resolves when the server
   * has confirmed, at once if it already has.
   *
   * @param signal - cancels the subscription: a request under way is undone ([N3])
   * @throws McpError `MCP_REQUEST_REJECTED` if the server takes no subscriptions ([N7]), what the session throws, or the signal's
   * reason. The listener is removed then.
   */
  async add(
    session: Session,
    uri: string,
    listener: ResourceListener,
    signal?: AbortSignal,
  ): Promise<() => Promise<void>> {
    if (!takesSubscriptions(session)) throw this.#refused();
    const own: ResourceListener = () => listener(); // so that the same function may listen twice
    const listeners = this.#wanted.get(uri) ?? new Set();
    this.#wanted.set(uri, listeners.add(own));
    const settled = this.#settle(uri);
    try {
      await (signal === undefined ? settled : raceSignal(settled, signal));
    } catch (error) {
      this.#forget(uri, own);
      if (!this.#wanted.has(uri)) void this.#settleOrWarn(uri); // The loop may have subscribed just now.
      throw error;
    }
    return async () => {
      this.#forget(uri, own);
      await this.#settleOrWarn(uri);
    };
  }

  /** A session is up: subscribes to every wanted resource. Failures are logged. */
  opened(session: Session): void {
    this.#active = { session, uris: new Set(), loops: new Map() };
    if (!takesSubscriptions(session)) return;
    for (const uri of this.#wanted.keys()) void this.#settleOrWarn(uri);
  }

  /** The session is gone; the subscriptions stay wanted. */
  sessionEnded(): void {
    this.#active = undefined;
  }

  /** Whether any resource has a listener. */
  get hasListeners(): boolean {
    return this.#wanted.size > 0;
  }

  /** Whether this resource has a listener ([N5]). */
  isWatched(uri: string): boolean {
    return this.#wanted.has(uri);
  }

  /** The server says that a resource has changed: calls its listeners. One that throws or rejects does not affect the others. */
  updated(uri: string): void {
    for (const listener of [...(this.#wanted.get(uri) ?? [])]) void this.#tellListener(uri, listener);
  }

  /** The server no longer lists these resources: their subscriptions end. */
  delisted(uris: Iterable<string>): void {
    for (const uri of uris) {
      if (this.#wanted.delete(uri)) void this.#settleOrWarn(uri);
    }
  }

  /** Resolves when the server was told the wanted state of this resource, or there is no session. */
  async #settle(uri: string): Promise<void> {
    const active = this.#active;
    if (active === undefined) return;
    do {
      const loop =
        active.loops.get(uri) ?? this.#reconcile(active, uri).finally(() => active.loops.delete(uri));
      active.loops.set(uri, loop);
      await loop;
    } while (this.#isBehind(active, uri)); // A finished loop stays in the map for some microtasks.
  }

  async #settleOrWarn(uri: string): Promise<void> {
    try {
      await this.#settle(uri);
    } catch (thrown) {
      const { server, log } = this.#options;
      const { code, message } = toMcpError(thrown, "MCP_INTERNAL", thrownText(thrown), { server });
      log("warn", "A subscription to a resource failed.", { server, uri, code, error: message });
    }
  }

  #isBehind(active: SessionSubscriptions, uri: string): boolean {
    return this.#active === active && this.#wanted.has(uri) !== active.uris.has(uri);
  }

  async #reconcile(active: SessionSubscriptions, uri: string): Promise<void> {
    while (this.#isBehind(active, uri)) {
      const isWanted = this.#wanted.has(uri);
      // Before the request: if it fails, the server's state is unknown, and a later subscription has to ask again.
      if (!isWanted) active.uris.delete(uri);
      await active.session.request(isWanted ? "resources/subscribe" : "resources/unsubscribe", { uri });
      if (isWanted) active.uris.add(uri);
    }
  }

  /** Calls the listener synchronously, so that all listeners have been called before the resource is read again. */
  async #tellListener(uri: string, listener: ResourceListener): Promise<void> {
    try {
      await listener();
    } catch (error) {
      const { server, log } = this.#options;
      log("error", "A listener of a resource threw.", { server, uri, error: thrownText(error) });
    }
  }

  #forget(uri: string, listener: ResourceListener): void {
    const listeners = this.#wanted.get(uri);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#wanted.delete(uri);
  }

  #refused(): McpError {
    const { server } = this.#options;
    const message = `Server "${server}" does not support resource subscriptions; read the resource again instead.`;
    return new McpError("MCP_REQUEST_REJECTED", message, { server, outcome: "not-sent" });
  }
}

function takesSubscriptions({ handshake: { capabilities } }: Session): boolean {
  const resources = capabilities.resources as { readonly subscribe?: unknown } | null | undefined;
  return resources?.subscribe === true;
}
