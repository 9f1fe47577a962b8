import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { soundMessage } from "../message-check.ts";
import type { Conversation } from "./conversation.ts";
import type { Credentials } from "./credentials.ts";
import { createEventFeed, type EventFeed, type FeedEnd } from "./event-feed.ts";
import { readMessages } from "./incoming-messages.ts";
import { createReconnectPace } from "./reconnect-pace.ts";
import { limitedLoginCredentials } from "./stream-credentials.ts";
import type { StreamOpening } from "./stream-opening.ts";

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
export interface StandingStream {
  /** Opens the stream of a new session, in place of the last session's. */
  open(): void;
  /** A message starts to wait for its answer on this stream. Returns whether one can come. */
  awaitAnswer(): boolean;
  /** The challenge of a call was met: requests the stream soon if it is unavailable for want of credentials. */
  reconsider(): void;
  /** Closes the stream for good. Idempotent. */
  close(): void;
}

export function createStandingStream(options: StandingStreamOptions): StandingStream {
  const { conversation, opening, maxMessageBytes } = options;
  /** Shared by all sessions, so that a server which forgets the session with every stream is not asked without a pause. */
  const pace = createReconnectPace({ now: Date.now, random: Math.random });
  const credentials = limitedLoginCredentials(options.credentials, options.isAwaited);
  let feed: EventFeed | undefined;
  let isClosed = false;

  const take = (text: string) => {
    try {
      for (const message of readMessages(text)) options.onMessage(soundMessage(message));
    } catch (error) {
      options.onError(error as Error);
    }
  };
  const openFeed = (session: string | undefined): EventFeed => {
    let wasOpened = false;
    const onEnd = ({ error, refusal }: FeedEnd) => {
      opening.end();
      if (feed === opened) feed = undefined;
      if (error) options.onError(error);
      // Before the stream of a session was open, a 404 says that the server has no route for it.
      if (refusal?.status === 404 && session !== undefined && wasOpened) options.onForgotten(session);
      options.onUnavailable();
    };
    const opened = createEventFeed({
      isStanding: true,
      hasLogin: options.credentials !== undefined,
      pace,
      maxEventBytes: maxMessageBytes,
      open: (lastEventId, call) => conversation.get(lastEventId, call, credentials.next()),
      onText: take,
      mayResume: () => !isClosed,
      onOpened: () => {
        wasOpened = true;
        credentials.opened();
        opening.end();
      },
      onUnavailable: () => {
        opening.end();
        options.onUnavailable();
      },
      onEnd,
    });
    return opened;
  };
  return {
    open() {
      feed?.close();
      if (isClosed) return;
      feed = openFeed(conversation.sessionId);
      feed.start();
    },
    awaitAnswer() {
      feed?.reconsider();
      return feed?.isUnavailable === false;
    },
    reconsider: () => feed?.reconsider(),
    close() {
      isClosed = true;
      feed?.close();
    },
  };
}
