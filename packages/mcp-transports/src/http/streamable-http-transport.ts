import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
} from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";
import { asError } from "../errors/thrown-error.ts";
import { createRoster } from "../roster.ts";
import type { SendFollower, Transport } from "../transport.ts";
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

/** A server behind Streamable HTTP. */
export interface StreamableHttpTransport extends Transport {
  /** Set once the server has given the conversation an id. */
  readonly sessionId: string | undefined;
  /** The latest session ids from the server. If there are any, a 404 means that it has forgotten the session. */
  readonly sessionIds: readonly string[];
  /** Whether the server has accepted a message. */
  readonly hasAccepted: boolean;
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
  readonly hasConnections = true;

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
  #hasAccepted = false;
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
      send: (message, { signal, onMessage }) => this.#post({ message, signal, onMessage }),
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

  get hasAccepted(): boolean {
    return this.#hasAccepted;
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.#conversation.protocolVersion = version;
  }

  send(message: JSONRPCMessage): Promise<void> {
    const sent = this.#deliver(message, undefined);
    const isInitialized = "method" in message && message.method === "notifications/initialized";
    return isInitialized ? sent.then(() => this.#openStanding()) : sent;
  }

  post(message: JSONRPCMessage, follower: SendFollower): void {
    if ("method" in message && message.method === "initialize") this.#initialize = message as JSONRPCRequest;
    this.#deliver(message, follower).catch((error) => follower.onFailed(error));
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
  async #deliver(message: JSONRPCMessage, follower: SendFollower | undefined): Promise<void> {
    const posting = { message, follower };
    // The renewal failed: the message that waited for it was never sent.
    if (this.#renewal.running && !(await this.#renewal.running))
      throw new ChannelFault({ kind: "unwritable" });
    const opening = this.#opening.before(message);
    if (opening) await opening;
    const session = this.#conversation.sessionId;
    if (!("method" in message) && !this.#takeQuestion(message.id)) return;
    const lost = await this.#post(posting);
    if (lost === "done") return;
    follower?.onRefused();
    const isRenewed = await this.#renewal.renew(() => this.#conversation.sessionId !== session);
    if (!isRenewed) throw forgottenError(lost);
    // Notifications and answers were meant for the old session, and mean nothing to the new one.
    if (!("id" in message && "method" in message)) return;
    await this.#opening.before(message);
    const again = await this.#post(posting);
    // A status that need not be about the session is taken at its word only once.
    if (again !== "done") throw again.status === 404 ? forgottenError(again) : refusalError(again);
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
    this.#hasAccepted = true;
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
    try {
      this.onmessage?.(message, isRequest ? request : undefined);
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
      explain: refusalError,
    };
  }
}

/** Tells the server to end the session, if there is one. Never rejects, and gives up after `timeoutMs`. */
async function deleteSession(conversation: Conversation, timeoutMs: number): Promise<void> {
  if (conversation.sessionId === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const call = conversation.delete({
    onAccepted: () => ({ push() {}, end() {} }),
    onEnd: resolve,
    onRefusal: () => resolve(),
    onError: () => resolve(),
  });
  conversation.sessionId = undefined;
  const timer = setTimeout(() => call.abort(new Error("ending the session took too long")), timeoutMs);
  await promise;
  clearTimeout(timer);
}
