import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
  Transport,
} from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";
import { asError } from "../errors/thrown-error.ts";
import type {
  QueueingSendOptions,
  QueueingTransport,
  Received,
  SendFollower,
} from "../queueing-transport.ts";
import { createRoster } from "../roster.ts";
import {
  type Conversation,
  type ConversationOptions,
  createConversation,
  isInitialize,
} from "./conversation.ts";
import type { Credentials } from "./credentials.ts";
import { createEventFeed } from "./event-feed.ts";
import { headerOf, type IncomingHeaders } from "./http-wire.ts";
import { createLingeringStreams } from "./lingering-streams.ts";
import { claimedVersion } from "./message-headers.ts";
import {
  createMessagePost,
  type MessagePost,
  type MessagePostOptions,
  type PostContext,
  type PostOutcome,
} from "./message-post.ts";
import { forgottenError, refusalError } from "./refusal-error.ts";
import { deleteSession } from "./session-deletion.ts";
import { readSessionId, withSessionId } from "./session-id.ts";
import { createSessionRenewal, type SessionRenewal } from "./session-renewal.ts";
import { createStandingStream, type StandingStream } from "./standing-stream.ts";
import { answerCredentials, heardCredentials } from "./stream-credentials.ts";
import { createStreamOpening, isAskable } from "./stream-opening.ts";

/** How long a server may keep a stream open after the answer it was opened for. */
const LINGERING_PATIENCE_MS = 2000;

export interface StreamableHttpTransportOptions extends ConversationOptions {
  /** The limit for one decoded message; `0` means no limit. */
  readonly maxMessageBytes: number;
  readonly renewalTimeoutMs: number;
}

/** A server behind Streamable HTTP as the SDK's `Transport`. */
export interface StreamableHttpTransport extends QueueingTransport {
  /** Set once the server has given the conversation an id. */
  readonly sessionId: string | undefined;
  /** The latest session ids from the server. If there are any, a 404 means that it has forgotten the session. */
  readonly sessionIds: readonly string[];
  /** The status that the first request was refused with; missing once any message was accepted. */
  readonly firstRefusal: number | undefined;
  /** The parts in which the server that answered the last renewal differs from the first one. */
  readonly differences: readonly string[];
  /** The transport has renewed the session by itself. */
  onrenewed?: (() => void) | undefined;
  /** The challenge of a message was met. */
  onchallengemet?: (() => void) | undefined;
  setProtocolVersion(version: string): void;
  /** Tells the server to end the session, if there is one. Never rejects, and gives up after `timeoutMs`. */
  endSession(timeoutMs: number): Promise<void>;
}

export function createStreamableHttpTransport(
  options: StreamableHttpTransportOptions,
): StreamableHttpTransport {
  return new HttpTransport(options);
}

class HttpTransport implements StreamableHttpTransport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  onrenewed?: (() => void) | undefined;
  onchallengemet?: (() => void) | undefined;
  readonly hasPerRequestStream = true;
  readonly isQueueing = true;

  readonly #options: StreamableHttpTransportOptions;
  readonly #conversation: Conversation;
  readonly #posts = createRoster<MessagePost>();
  readonly #context: PostContext;
  readonly #lingering = createLingeringStreams(LINGERING_PATIENCE_MS);
  readonly #renewal: SessionRenewal;
  readonly #opening = createStreamOpening();
  readonly #standing: StandingStream;
  /** The server's requests without an answer, by id, and how many have that id: some servers use one twice. */
  readonly #questions = new Map<RequestId, number>();
  #initialize: JSONRPCRequest | undefined;
  #firstRefusal: number | undefined;
  #wasTaken = false;
  #sessionIds: readonly string[] = [];
  #isClosed = false;

  constructor(options: StreamableHttpTransportOptions) {
    this.#options = options;
    const credentials = heardCredentials(options.credentials, () => {
      this.#standing.reconsider();
      this.onchallengemet?.();
    });
    this.#conversation = createConversation({ ...options, credentials });
    this.#standing = this.#createStanding(options);
    this.#context = this.#createPostContext(options, credentials);
    this.#renewal = createSessionRenewal({
      conversation: this.#conversation,
      timeoutMs: options.renewalTimeoutMs,
      initialize: () => this.#initialize,
      send: (message, { signal, onMessage }) => this.#post({ message, requestSignal: signal, onMessage }),
      onRenewed: () => {
        this.#withdrawQuestions();
        this.#openStanding();
        this.onrenewed?.();
      },
    });
  }

  get sessionId(): string | undefined {
    return this.#conversation.sessionId;
  }

  get sessionIds(): readonly string[] {
    return this.#sessionIds;
  }

  get differences(): readonly string[] {
    return this.#renewal.differences;
  }

  get firstRefusal(): number | undefined {
    return this.#wasTaken ? undefined : this.#firstRefusal;
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.#conversation.protocolVersion = version;
  }

  send(message: JSONRPCMessage, options: QueueingSendOptions = {}): Promise<void> {
    if (!("method" in message)) return this.#deliver(message, options);
    if (message.method === "initialize" && "id" in message) this.#initialize = message;
    if (message.method === "notifications/cancelled") return this.#cancel(message, options);
    const sent = this.#deliver(message, options);
    return message.method === "notifications/initialized" ? sent.then(() => this.#openStanding()) : sent;
  }

  // Not through `send`, which watchers of the transport replace by their own.
  post(message: JSONRPCMessage, follower: SendFollower): void {
    this.#deliver(message, { hooks: follower }).catch((error) => follower.onFailed(error));
  }

  abandon(request: RequestId): void {
    this.#find(request)?.abort(new Error("the request was aborted"));
  }

  async endSession(timeoutMs: number): Promise<void> {
    this.#standing.close();
    await deleteSession(this.#conversation, timeoutMs);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#opening.end();
    this.#standing.close();
    this.#lingering.close();
    for (const post of this.#posts.all()) post.abort(new ChannelFault({ kind: "output-ended" }));
    await this.#options.wire.close();
    this.onclose?.();
  }

  /** A request that was refused because its session is forgotten was not processed: it is sent once more in the next session. */
  async #deliver(
    message: JSONRPCMessage,
    { hooks, requestSignal, headers: parameters }: QueueingSendOptions,
  ): Promise<void> {
    const posting = { message, hooks, requestSignal, parameters };
    // The renewal failed: the message that waited for it was never sent.
    if (this.#renewal.running && !(await this.#renewal.running))
      throw new ChannelFault({ kind: "unwritable" });
    const opening = this.#opening.before(message);
    if (opening) await opening;
    const session = this.#conversation.sessionId;
    if (!("method" in message) && !this.#takeQuestion(message.id)) return;
    if ((await this.#post(posting)) === "done") return;
    hooks?.onRefused?.();
    const isRenewed = await this.#renewal.renew(() => this.#conversation.sessionId !== session);
    if (!isRenewed) throw forgottenError();
    // Notifications and answers were meant for the old session, and mean nothing to the new one.
    if (!("id" in message && "method" in message)) return;
    await this.#opening.before(message);
    if ((await this.#post(posting)) === "forgotten") throw forgottenError();
  }

  /** Also ends the connection of the cancelled request, which is useless now and may be dead. */
  async #cancel(message: JSONRPCNotification | JSONRPCRequest, options: QueueingSendOptions): Promise<void> {
    const id = message.params?.requestId as RequestId;
    try {
      await this.#deliver(message, options);
    } finally {
      this.abandon(id);
    }
  }

  #post(options: Omit<MessagePostOptions, "hasSession">): Promise<PostOutcome> {
    if (this.#isClosed) return Promise.reject(new ChannelFault({ kind: "unwritable" }));
    const hasSession = this.#conversation.sessionId !== undefined && !isInitialize(options.message);
    const post = createMessagePost(this.#context, { ...options, hasSession });
    this.#posts.add(post);
    post.start();
    return post.settled;
  }

  #find(request: RequestId): MessagePost | undefined {
    return this.#posts.find(({ id }) => id !== undefined && id === request);
  }

  #accepted(message: JSONRPCMessage, headers: IncomingHeaders): void {
    this.#wasTaken = true;
    if (!isInitialize(message)) return;
    const sessionId = readSessionId(headerOf(headers, "mcp-session-id"));
    this.#conversation.sessionId = sessionId;
    if (sessionId !== undefined) this.#sessionIds = withSessionId(this.#sessionIds, sessionId);
  }

  /** Takes a question out of the open ones. Returns false if it is none: it was withdrawn, or asked in an earlier session. */
  #takeQuestion(id: RequestId | undefined): boolean {
    const times = id === undefined ? undefined : this.#questions.get(id);
    if (id === undefined || times === undefined) return false;
    if (times > 1) this.#questions.set(id, times - 1);
    else this.#questions.delete(id);
    return true;
  }

  /** The new session may use the ids of the old one for other questions, which must not get their answers. */
  #withdrawQuestions(): void {
    const ids = [...this.#questions.keys()];
    for (const requestId of ids)
      this.#receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
    this.#questions.clear();
  }

  #noteQuestion(message: JSONRPCNotification | JSONRPCRequest): void {
    if ("id" in message) this.#questions.set(message.id, (this.#questions.get(message.id) ?? 0) + 1);
    else if (message.method === "notifications/cancelled")
      this.#takeQuestion(message.params?.requestId as RequestId | undefined);
  }

  #receive(message: JSONRPCMessage, request?: JSONRPCMessage): void {
    if ("method" in message) this.#noteQuestion(message);
    if (request && isInitialize(request) && "result" in message) this.#renewal.remember(message.result);
    const isRequest = request !== undefined && "method" in request && "id" in request;
    const received: Received | undefined = isRequest ? { onStreamOf: request } : undefined;
    try {
      this.onmessage?.(message, received);
    } catch (error) {
      this.onerror?.(asError(error));
    }
  }

  #openStanding(): void {
    if (!this.#isClosed && isAskable(this.#initialize)) this.#opening.begin();
    this.#standing.open();
  }

  #createStanding({ maxMessageBytes, credentials }: StreamableHttpTransportOptions): StandingStream {
    return createStandingStream({
      conversation: this.#conversation,
      credentials,
      maxMessageBytes,
      opening: this.#opening,
      isAwaited: () => this.#posts.find(({ waitsForOtherStreams }) => waitsForOtherStreams) !== undefined,
      onMessage: (message) => {
        this.#receive(message);
        if (!("method" in message)) this.#find(message.id as RequestId)?.answeredElsewhere();
      },
      onError: (error) => this.onerror?.(error),
      onUnavailable: () => {
        for (const post of this.#posts.all()) post.otherStreamsEnded();
      },
      onForgotten: (session) => void this.#renewal.renew(() => this.#conversation.sessionId !== session),
    });
  }

  #createPostContext(
    { maxMessageBytes }: StreamableHttpTransportOptions,
    credentials: Credentials | undefined,
  ): PostContext {
    return {
      maxMessageBytes,
      call: (posting, listener) => this.#conversation.post(posting, listener),
      openFeed: (message, { onText, onEnd, isWanted }) => {
        const next = answerCredentials(credentials);
        return createEventFeed({
          isStanding: false,
          maxEventBytes: maxMessageBytes,
          open: (id, call) => this.#conversation.get(id, call, next()),
          onText,
          mayResume: () => isWanted() && claimedVersion(message) === undefined,
          onEnd,
        });
      },
      onMessage: (received, message) => this.#receive(received, message),
      onStray: (error) => this.onerror?.(error),
      onAccepted: (message, received) => this.#accepted(message, received),
      onLingering: (end) => this.#lingering.add(end),
      onSettled: (post) => this.#posts.remove(post),
      awaitElsewhere: () => this.#standing.awaitAnswer(),
      explain: (refusal) => {
        this.#firstRefusal ??= refusal.status;
        return refusalError(refusal);
      },
    };
  }
}
