import { type Logger, type McpError, type ServerNotification, thrownText } from "@jackfield/mcp-core";

/** The most notifications kept for the first listener. */
const MAX_KEPT = 100;

type NotificationListener = (notification: ServerNotification) => void;
type CloseListener = (cause?: McpError) => void;

/** Who hears of a session. One listener that throws does not affect the others. Every `on…` returns what removes the listener. */
export class SessionListeners {
  readonly #log: Logger;
  readonly #ofNotifications = new Set<NotificationListener>();
  readonly #ofRenewals = new Set<() => void>();
  readonly #ofEnd = new Set<CloseListener>();
  /** Notifications that came before the first listener. */
  #kept: ServerNotification[] | undefined = [];
  #end: { readonly cause: McpError | undefined } | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  onNotification(listener: NotificationListener): () => void {
    const own: NotificationListener = (notification) => listener(notification);
    this.#ofNotifications.add(own);
    const missed = this.#kept ?? [];
    this.#kept = undefined;
    for (const notification of missed) this.#tell("notification", () => own(notification));
    return () => void this.#ofNotifications.delete(own);
  }

  onRenewed(listener: () => void): () => void {
    const own = () => listener();
    this.#ofRenewals.add(own);
    return () => void this.#ofRenewals.delete(own);
  }

  /** A listener that is added after the end is called at once. */
  onClose(listener: CloseListener): () => void {
    const own: CloseListener = (cause) => listener(cause);
    const end = this.#end;
    if (end) this.#tell("close", () => own(end.cause));
    else this.#ofEnd.add(own);
    return () => void this.#ofEnd.delete(own);
  }

  tellNotification(notification: ServerNotification): void {
    if (!this.#kept)
      for (const listener of [...this.#ofNotifications])
        this.#tell("notification", () => listener(notification));
    else if (this.#kept.length < MAX_KEPT) this.#kept.push(notification);
  }

  tellRenewed(): void {
    for (const listener of [...this.#ofRenewals]) this.#tell("renewal", listener);
  }

  /** Calls all close listeners, once. */
  tellClosed(cause: McpError | undefined): void {
    this.#end ??= { cause };
    for (const listener of this.#ofEnd) this.#tell("close", () => listener(cause));
    this.#ofEnd.clear();
  }

  #tell(what: "notification" | "close" | "renewal", listener: () => unknown): void {
    callListener(listener, (error) =>
      this.#log("warn", `A ${what} listener failed.`, { error: thrownText(error) }),
    );
  }
}

/**
 * Calls a foreign listener and catches its errors. The listener may be an async function: an unhandled rejection would end the
 * host.
 */
export function callListener(call: () => unknown, onFailed: (error: unknown) => void = () => {}): void {
  try {
    const answer = call();
    if (answer !== undefined) Promise.resolve(answer).catch(onFailed);
  } catch (error) {
    onFailed(error);
  }
}
