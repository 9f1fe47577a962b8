import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { readMessages, soundMessage } from "../message-check.ts";
import type { Conversation } from "./conversation.ts";
import type { Credentials } from "./credentials.ts";
import { EventFeed } from "./event-feed.ts";
import { ReconnectPace } from "./reconnect-pace.ts";
import { LimitedLogin } from "./stream-credentials.ts";

export interface StandingStreamOptions {
  readonly conversation: Conversation;
  readonly credentials: Credentials | undefined;
  readonly maxMessageBytes: number;
  /** Ended when the stream is open, or will not be. */
  readonly opening: StreamOpening;
  /** Whether an accepted message waits for its answer on this stream. */
  isAwaited(): boolean;
  onMessage(message: JSONRPCMessage): void;
  onError(error: Error): void;
  /** The stream brings no answers any more, or not for a while. */
  onUnavailable(): void;
  /** The server no longer knows that session. */
  onForgotten(session: string): void;
}

/** The stream of the server's own messages: one feed for each session. A server need not have one, and may end it whenever it likes. */
export class StandingStream {
  readonly #options: StandingStreamOptions;
  /** Shared by all sessions, so that a server which forgets the session with every stream is not asked without a pause. */
  readonly #pace = new ReconnectPace();
  readonly #login: LimitedLogin;
  #feed: EventFeed | undefined;
  #isClosed = false;

  constructor(options: StandingStreamOptions) {
    this.#options = options;
    this.#login = new LimitedLogin(options.credentials, options.isAwaited);
  }

  /** Opens the stream of a new session, in place of the last session's. */
  open(): void {
    this.#feed?.close();
    if (this.#isClosed) return;
    this.#feed = this.#openFeed(this.#options.conversation.sessionId);
    this.#feed.start();
  }

  /** A message starts to wait for its answer on this stream. Returns whether one can come. */
  awaitAnswer(): boolean {
    this.#feed?.reconsider();
    return this.#feed?.isUnavailable === false;
  }

  /** The challenge of a call was met: requests the stream soon if it is unavailable for want of credentials. */
  reconsider(): void {
    this.#feed?.reconsider();
  }

  /** Closes the stream for good. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#feed?.close();
  }

  #take(text: string): void {
    try {
      for (const message of readMessages(text)) this.#options.onMessage(soundMessage(message));
    } catch (error) {
      this.#options.onError(error as Error);
    }
  }

  #openFeed(session: string | undefined): EventFeed {
    const { conversation, opening, maxMessageBytes, credentials, onError, onUnavailable, onForgotten } =
      this.#options;
    let wasOpened = false;
    const opened = new EventFeed({
      isStanding: true,
      hasLogin: credentials !== undefined,
      pace: this.#pace,
      maxEventBytes: maxMessageBytes,
      open: (lastEventId, call) => conversation.get(lastEventId, call, this.#login.credentials),
      onText: (text) => this.#take(text),
      mayResume: () => !this.#isClosed,
      onOpened: () => {
        wasOpened = true;
        this.#login.opened();
        opening.end();
      },
      onUnavailable: () => {
        opening.end();
        onUnavailable();
      },
      onEnd: ({ error, refusal }) => {
        opening.end();
        if (this.#feed === opened) this.#feed = undefined;
        if (error) onError(error);
        // Before the stream of a session was open, a 404 says that the server has no route for it.
        if (refusal?.status === 404 && session !== undefined && wasOpened) onForgotten(session);
        onUnavailable();
      },
    });
    return opened;
  }
}

/** How long a request waits for a stream that is being opened, in milliseconds: some servers answer the GET with their first event. */
const PATIENCE_MS = 250;

/** The methods during which a server may send requests. */
const MAY_CAUSE_SERVER_REQUESTS = new Set(["tools/call", "prompts/get", "resources/read"]);

/**
 * The time in which the stream of the server's own messages is being opened. Requests of the server are lost then: servers of the
 * official SDK send them on that stream, and drop them while there is none.
 */
export class StreamOpening {
  #waiting: PromiseWithResolvers<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  begin(): void {
    this.end();
    this.#waiting = Promise.withResolvers();
    this.#timer = setTimeout(() => this.end(), PATIENCE_MS);
  }

  /** The stream is open, or will not be. */
  end(): void {
    clearTimeout(this.#timer);
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  /** What a message has to wait for, if it may cause requests of the server. */
  before(message: JSONRPCMessage): Promise<void> | undefined {
    const mayCause = "method" in message && MAY_CAUSE_SERVER_REQUESTS.has(message.method);
    return mayCause ? this.#waiting?.promise : undefined;
  }
}

/** Whether the client has announced capabilities, so that the server may send it requests. */
export function isAskable(initialize: JSONRPCMessage | undefined): boolean {
  const params = initialize && "method" in initialize ? initialize.params : undefined;
  return Object.keys(params?.capabilities ?? {}).length > 0;
}
