import type { ConnectOptions } from "@jackfield/mcp-core";
import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  RequestId,
} from "@modelcontextprotocol/client";
import { asError } from "../errors/wording.ts";
import { TransportFault } from "../faults.ts";
import type { ConnectionFacts, SendFollower, Transport } from "../transport.ts";
import { Conversation, isInitialize, type RemoteOptions } from "./conversation.ts";
import type { Credentials } from "./credentials.ts";
import { EventFeed } from "./event-feed.ts";
import { headerOf, type IncomingHeaders } from "./http-wire.ts";
import { claimedVersion } from "./message-headers.ts";
import { MessagePost, type MessagePostOptions, type PostContext, type PostOutcome } from "./message-post.ts";
import { refusalError } from "./refusal-error.ts";
import { readSessionId, withSessionId } from "./session-id.ts";
import { SessionRenewal } from "./session-renewal.ts";
import { isAskable, StandingStream, StreamOpening } from "./standing-stream.ts";
import { answerCredentials, heardCredentials } from "./stream-credentials.ts";

/** How long a server may keep a stream open after the answer it was opened for. */
const LINGERING_PATIENCE_MS = 2000;

export interface StreamableHttpOptions extends RemoteOptions {
  readonly renewalTimeoutMs: number;
  readonly beforeRenewal?: ConnectOptions["beforeRenewal"];
}

/** How long a server may take to be told that the session is over, in milliseconds; less where nobody waits for it. */
const DELETE_TIMEOUT_MS = 2000;
const HURRIED_DELETE_TIMEOUT_MS = 500;

/** A server behind Streamable HTTP. */
export class StreamableHttpTransport implements Transport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  readonly onChallengeMet: Transport["onChallengeMet"];
  readonly hasPerRequestStream = true;
  readonly hasConnections = true;

  readonly #options: StreamableHttpOptions;
  readonly #conversation: Conversation;
  readonly #posts = new Set<MessagePost>();
  readonly #context: PostContext;
  readonly #lingering = new LingeringStreams(LINGERING_PATIENCE_MS);
  readonly #renewal: SessionRenewal;
  readonly #opening = new StreamOpening();
  readonly #standing: StandingStream;
  /** The server's requests without an answer, by id, and how many have that id: some servers use one twice. */
  readonly #questions = new Map<RequestId, number>();
  #initialize: JSONRPCRequest | undefined;
  #hasAccepted = false;
  #sessionIds: readonly string[] = [];
  #fault: TransportFault | undefined;
  #tellRenewed = () => {};
  #tellChallengeMet = () => {};
  #closed: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: StreamableHttpOptions) {
    this.#options = options;
    const credentials = heardCredentials(options.credentials, () => {
      this.#standing.reconsider();
      this.#tellChallengeMet();
    });
    this.onChallengeMet =
      credentials &&
      ((listener) => {
        this.#tellChallengeMet = listener;
      });
    this.#conversation = new Conversation({ ...options, credentials });
    this.#standing = this.#createStanding(options);
    this.#context = this.#createPostContext(options, credentials);
    this.#renewal = new SessionRenewal({
      conversation: this.#conversation,
      timeoutMs: options.renewalTimeoutMs,
      mayBegin: () => options.beforeRenewal?.(options.closing.signal),
      initialize: () => this.#initialize,
      send: (message, { signal, onMessage }) => this.#post({ message, signal, onMessage }),
      onRenewed: () => {
        this.#withdrawQuestions();
        this.#openStanding();
        this.#tellRenewed();
      },
    });
  }

  facts(): ConnectionFacts {
    const { wire, secrets } = this.#options;
    return {
      fault: this.#fault,
      differences: this.#renewal.differences,
      proxy: wire.proxy,
      secrets: [...secrets(), ...this.#sessionIds],
      hasAccepted: this.#hasAccepted,
    };
  }

  onRenewed(listener: () => void): void {
    this.#tellRenewed = listener;
  }

  /** Whoever listens closes the transport then. */
  fail(fault: TransportFault): void {
    this.#fault ??= fault;
    this.onclose?.();
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

  close({ hurry }: { readonly hurry?: boolean | undefined } = {}): Promise<void> {
    this.#closed ??= this.#end(hurry ? HURRIED_DELETE_TIMEOUT_MS : DELETE_TIMEOUT_MS);
    return this.#closed;
  }

  async #end(timeoutMs: number): Promise<void> {
    this.#standing.close();
    await deleteSession(this.#conversation, timeoutMs);
    this.#options.closing.abort();
    this.#isClosed = true;
    this.#opening.end();
    this.#standing.close();
    this.#lingering.close();
    for (const post of [...this.#posts]) post.abort(new TransportFault({ kind: "output-ended" }));
    await this.#options.wire.close();
    this.onclose?.();
  }

  /** A request that was refused because its session is forgotten was not processed: it is sent once more in the next session. */
  async #deliver(message: JSONRPCMessage, follower: SendFollower | undefined): Promise<void> {
    const posting = { message, follower };
    // The renewal failed: the message that waited for it was never sent.
    if (this.#renewal.running && !(await this.#renewal.running))
      throw new TransportFault({ kind: "unwritable" });
    const opening = this.#opening.before(message);
    if (opening) await opening;
    const session = this.#conversation.sessionId;
    if (!("method" in message) && !this.#takeQuestion(message.id)) return;
    const lost = await this.#post(posting);
    if (lost === "done") return;
    follower?.onRefused();
    const isRenewed = await this.#renewal.renew(() => this.#conversation.sessionId !== session);
    if (!isRenewed) throw refusalError(lost, true);
    // Notifications and answers were meant for the old session, and mean nothing to the new one.
    if (!("id" in message && "method" in message)) return;
    await this.#opening.before(message);
    const again = await this.#post(posting);
    // A status that need not be about the session is taken at its word only once.
    if (again !== "done") throw refusalError(again, again.status === 404);
  }

  #post(options: Omit<MessagePostOptions, "hasSession">): Promise<PostOutcome> {
    if (this.#isClosed) return Promise.reject(new TransportFault({ kind: "unwritable" }));
    const hasSession = this.#conversation.sessionId !== undefined && !isInitialize(options.message);
    const post = new MessagePost(this.#context, { ...options, hasSession });
    this.#posts.add(post);
    post.start();
    return post.settled;
  }

  #find(request: RequestId | undefined): MessagePost | undefined {
    for (const post of this.#posts) if (post.id === request) return post;
    return undefined;
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

  #createStanding({ maxMessageBytes, credentials }: StreamableHttpOptions): StandingStream {
    return new StandingStream({
      conversation: this.#conversation,
      credentials,
      maxMessageBytes,
      opening: this.#opening,
      isAwaited: () => [...this.#posts].some(({ waitsForOtherStreams }) => waitsForOtherStreams),
      onMessage: (message) => {
        this.#receive(message);
        if (!("method" in message)) this.#find(message.id as RequestId)?.answeredElsewhere();
      },
      onError: (error) => this.onerror?.(error),
      onUnavailable: () => {
        for (const post of [...this.#posts]) post.otherStreamsEnded();
      },
      onForgotten: (session) => void this.#renewal.renew(() => this.#conversation.sessionId !== session),
    });
  }

  #createPostContext(
    { maxMessageBytes }: StreamableHttpOptions,
    credentials: Credentials | undefined,
  ): PostContext {
    return {
      maxMessageBytes,
      call: (posting, listener) => this.#conversation.post(posting, listener),
      openFeed: (message, { onText, onEnd, isWanted }) => {
        const ofAnswer = answerCredentials(credentials);
        return new EventFeed({
          isStanding: false,
          maxEventBytes: maxMessageBytes,
          open: (id, call) => this.#conversation.get(id, call, ofAnswer),
          onText,
          mayResume: () => isWanted() && claimedVersion(message) === undefined,
          onEnd,
        });
      },
      onMessage: (received, message) => this.#receive(received, message),
      onStray: (error) => this.onerror?.(error),
      onAccepted: (message, received) => this.#accepted(message, received),
      onLingering: (end) => this.#lingering.add(end),
      onSettled: (post) => this.#posts.delete(post),
      awaitElsewhere: () => this.#standing.awaitAnswer(),
      explain: (refusal) => refusalError(refusal),
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

/** Streams that their servers keep open after the answer. One timer for all of them, because nearly every stream ends by itself at once. */
export class LingeringStreams {
  readonly #patienceMs: number;
  readonly #waiting = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** Calls `end` if the stream is still open after the patience. Call the returned function once it has ended. */
  add(end: () => void): () => void {
    this.#waiting.set(end, performance.now() + this.#patienceMs);
    this.#timer ??= setTimeout(this.#sweep, this.#patienceMs);
    return () => void this.#waiting.delete(end);
  }

  /** Ends all of them. */
  close(): void {
    clearTimeout(this.#timer);
    for (const end of [...this.#waiting.keys()]) this.#end(end);
  }

  readonly #sweep = () => {
    this.#timer = undefined;
    const now = performance.now();
    for (const [end, dueAt] of [...this.#waiting]) if (dueAt <= now) this.#end(end);
    const [next] = this.#waiting.values(); // the oldest
    if (next !== undefined) this.#timer = setTimeout(this.#sweep, next - now);
  };

  #end(end: () => void): void {
    this.#waiting.delete(end);
    end();
  }
}
