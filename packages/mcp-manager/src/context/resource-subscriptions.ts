import { type Logger, McpError, type Session, thrownText, toMcpError } from "@jackfield/mcp-core";
import { raceSignal } from "../deadline.ts";

/** Told that a resource has changed; reading it is left to whoever wants to know how. */
export type ResourceListener = () => unknown;

export interface ResourceSubscriptionsOptions {
  readonly server: string;
  readonly log: Logger;
}

/**
 * Which of one server's resources are watched. What is wanted stands apart from what the server was told, and one loop for each
 * resource brings the second to the first: a subscription that is taken back while it is being made is undone, and one that is
 * wanted again meanwhile stays ([N3], [N4]).
 */
export interface ResourceSubscriptions {
  /**
   * Wants to be told of a resource, in this session and every later one, until the returned function is called. Resolves when the
   * server has been told, at once if it knows already.
   *
   * @param signal - gives it up: what is under way is undone then ([N3])
   * @throws McpError `MCP_REQUEST_REJECTED` if the server takes no subscriptions ([N7]), what the session throws, or the signal's
   * reason. Then nothing is wanted.
   */
  add(
    session: Session,
    uri: string,
    listener: ResourceListener,
    signal?: AbortSignal,
  ): Promise<() => Promise<void>>;
  /** A session is up: it is told of everything that is wanted. What it refuses is logged. */
  opened(session: Session): void;
  /** The session is gone; what is wanted stays wanted. */
  gone(): void;
  /** Whether anybody wants to be told of this resource ([N5]). */
  isWatched(uri: string): boolean;
  /** The server says that a resource has changed: whoever asked is told. One that throws, or rejects, keeps nobody from hearing. */
  updated(uri: string): void;
  /** Resources that the server listed before and lists no longer are not watched any more ([N6]). */
  delisted(uris: Iterable<string>): void;
}

export function createResourceSubscriptions(options: ResourceSubscriptionsOptions): ResourceSubscriptions {
  return new Subscriptions(options);
}

/** What one session was told. A new session has a new one, so that nothing of the old counts. */
interface Told {
  readonly session: Session;
  readonly uris: Set<string>;
  /** The loops under way, by resource. */
  readonly loops: Map<string, Promise<void>>;
}

class Subscriptions implements ResourceSubscriptions {
  readonly #options: ResourceSubscriptionsOptions;
  readonly #wanted = new Map<string, Set<ResourceListener>>();
  #told: Told | undefined;

  constructor(options: ResourceSubscriptionsOptions) {
    this.#options = options;
  }

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
      if (!this.#wanted.has(uri)) void this.#settleOrWarn(uri); // The answer may have come just now.
      throw error;
    }
    return async () => {
      this.#forget(uri, own);
      await this.#settleOrWarn(uri);
    };
  }

  opened(session: Session): void {
    this.#told = { session, uris: new Set(), loops: new Map() };
    if (!takesSubscriptions(session)) return;
    for (const uri of this.#wanted.keys()) void this.#settleOrWarn(uri);
  }

  gone(): void {
    this.#told = undefined;
  }

  isWatched(uri: string): boolean {
    return this.#wanted.has(uri);
  }

  updated(uri: string): void {
    for (const listener of [...(this.#wanted.get(uri) ?? [])]) void this.#tellListener(uri, listener);
  }

  delisted(uris: Iterable<string>): void {
    for (const uri of uris) {
      if (this.#wanted.delete(uri)) void this.#settleOrWarn(uri);
    }
  }

  /** Resolves when the server has been told what is wanted of this resource, or there is no session to tell. */
  async #settle(uri: string): Promise<void> {
    const told = this.#told;
    if (told === undefined) return;
    do {
      const loop = told.loops.get(uri) ?? this.#tell(told, uri).finally(() => told.loops.delete(uri));
      told.loops.set(uri, loop);
      await loop;
    } while (this.#isBehind(told, uri)); // A loop that has found nothing more to do is there for some microtasks yet.
  }

  async #settleOrWarn(uri: string): Promise<void> {
    try {
      await this.#settle(uri);
    } catch (thrown) {
      const { server, log } = this.#options;
      const { code, message } = toMcpError(thrown, "MCP_INTERNAL", thrownText(thrown), { server });
      log("warn", "a subscription to a resource failed", { server, uri, code, error: message });
    }
  }

  #isBehind(told: Told, uri: string): boolean {
    return this.#told === told && this.#wanted.has(uri) !== told.uris.has(uri);
  }

  async #tell(told: Told, uri: string): Promise<void> {
    while (this.#isBehind(told, uri)) {
      const isWanted = this.#wanted.has(uri);
      // Of one that could not be taken back nothing more is known than that nobody wants it.
      if (!isWanted) told.uris.delete(uri);
      await told.session.request(isWanted ? "resources/subscribe" : "resources/unsubscribe", { uri });
      if (isWanted) told.uris.add(uri);
    }
  }

  /** Called in this turn, so that whoever reads the resource next reads it after all listeners have heard. */
  async #tellListener(uri: string, listener: ResourceListener): Promise<void> {
    try {
      await listener();
    } catch (error) {
      const { server, log } = this.#options;
      log("error", "a listener of a resource threw", { server, uri, error: thrownText(error) });
    }
  }

  #forget(uri: string, listener: ResourceListener): void {
    const listeners = this.#wanted.get(uri);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#wanted.delete(uri);
  }

  #refused(): McpError {
    const { server } = this.#options;
    const message = `Server "${server}" takes no subscriptions to resources; read them again instead.`;
    return new McpError("MCP_REQUEST_REJECTED", message, { server, outcome: "not-sent" });
  }
}

function takesSubscriptions({ handshake: { capabilities } }: Session): boolean {
  const resources = capabilities.resources as { readonly subscribe?: unknown } | null | undefined;
  return resources?.subscribe === true;
}
