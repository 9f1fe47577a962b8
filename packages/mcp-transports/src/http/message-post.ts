import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/client";
import { TransportFault } from "../faults.ts";
import { readMessages, soundMessage } from "../message-check.ts";
import type { SendFollower } from "../transport.ts";
import { type BodySink, excerptSink, heardSink, textSink } from "./body-sink.ts";
import { isSubscription, type Posting } from "./conversation.ts";
import type { EventFeed, FeedEnd } from "./event-feed.ts";
import type { HttpCall, HttpCallListener, Refusal } from "./http-call.ts";
import { headerOf, type IncomingHeaders, mediaTypeOf } from "./http-wire.ts";
import { claimedVersion } from "./message-headers.ts";
import { isForgottenAnswer, saysForgotten } from "./refusal-error.ts";
import { StreamWatchdog } from "./stream-watchdog.ts";

/** How a message ended. A refusal: the server no longer knows the session, so it has not processed the message. */
export type PostOutcome = "done" | Refusal;

/** The events of the stream that brings the answer to a message. */
export interface PostFeedEvents {
  onText(text: string): void;
  onEnd(why: FeedEnd): void;
  /** Whether the answer is still waited for. */
  isWanted(): boolean;
}

/** What the messages of a transport share. */
export interface PostContext {
  readonly maxMessageBytes: number;
  call(posting: Posting, listener: HttpCallListener): Pick<HttpCall, "abort">;
  /** Creates the feed of the stream that brings an answer. */
  openFeed(message: JSONRPCMessage, events: PostFeedEvents): EventFeed;
  /** The stream of `message` brought its answer, or a message of the server's own. */
  onMessage(received: JSONRPCMessage, message: JSONRPCMessage): void;
  /** Something arrived that is neither the answer to this message nor a message of the server's own. */
  onStray(error: Error): void;
  onAccepted(message: JSONRPCMessage, headers: IncomingHeaders): void;
  /** The answer has come, but the call is still open. Returns a function to call once it has ended. */
  onLingering(end: () => void): () => void;
  /** The message is settled, successfully or not. */
  onSettled(post: MessagePost): void;
  /** The message starts to wait for its answer on another stream. Returns whether one can still come. */
  awaitElsewhere(): boolean;
  explain(refusal: Refusal): Error;
}

export interface MessagePostOptions {
  readonly message: JSONRPCMessage;
  readonly follower?: SendFollower | undefined;
  /** Gives the message up. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the message belongs to a session, which the server may have forgotten. */
  readonly hasSession: boolean;
  /** Receives messages in place of the `onMessage` of the context. */
  readonly onMessage?: ((received: JSONRPCMessage) => void) | undefined;
}

/** A message that is being sent, and answered if it is a request. The listener of its call itself, to save an object for each tool call. */
export class MessagePost implements HttpCallListener {
  /** Set only for a request. */
  readonly id: RequestId | undefined;
  /** The message was accepted, and another stream is to bring the answer. */
  waitsForOtherStreams = false;
  readonly #context: PostContext;
  readonly #options: MessagePostOptions;
  readonly #outcome = Promise.withResolvers<PostOutcome>();
  #call: Pick<HttpCall, "abort"> | undefined;
  #feed: EventFeed | undefined;
  #stopLingering: (() => void) | undefined;
  #watchdog: StreamWatchdog | undefined;
  /** The error about the last text that could not be parsed. */
  #unreadable: Error | undefined;
  #isSettled = false;
  #isAccepted = false;
  /** The message was accepted without a body. */
  #isBodyless = false;

  constructor(context: PostContext, options: MessagePostOptions) {
    this.#context = context;
    this.#options = options;
    const { message } = options;
    this.id = "method" in message && "id" in message ? message.id : undefined;
  }

  /** Resolves when the message is accepted or, for a request, answered. Rejects as soon as no answer can come any more. */
  get settled(): Promise<PostOutcome> {
    return this.#outcome.promise;
  }

  /** Sends it at once. */
  start(): void {
    const { message, follower, signal } = this.#options;
    if (follower?.isWanted() === false || signal?.aborted) {
      this.#fail(new TransportFault({ kind: "unwritable" }));
      return;
    }
    signal?.addEventListener("abort", this.#onSignal, { once: true });
    try {
      const body = JSON.stringify(message);
      this.#call = this.#context.call({ message, body, follower }, this);
    } catch (error) {
      this.#fail(new TransportFault({ kind: "unserializable" }, { cause: error }));
    }
    if (this.id === undefined) endInTime(this);
  }

  /** Another stream brought the answer. */
  answeredElsewhere(): void {
    this.#settle("done");
    if (!this.waitsForOtherStreams) this.#stopLingering ??= this.#context.onLingering(this.#letGo);
  }

  /** The other streams have ended, or will not bring anything. */
  otherStreamsEnded(): void {
    if (this.waitsForOtherStreams) this.#breakOff();
  }

  /** Gives the message up. */
  abort(reason: Error): void {
    this.#stopLingering?.();
    this.#fail(reason);
    this.#feed?.close();
    this.#call?.abort(reason);
  }

  readonly #letGo = () => this.abort(new Error("it was answered"));
  readonly #onSignal = () => this.abort(new Error("the request was aborted"));

  isWanted(): boolean {
    return this.#options.follower?.isWanted() !== false;
  }

  onWriting(): void {
    this.#options.follower?.onWriting();
  }

  onRefused(login?: Promise<unknown>): void {
    this.#options.follower?.onRefused(login);
  }

  onAccepted(status: number, headers: IncomingHeaders): BodySink {
    this.#isAccepted = true;
    this.#context.onAccepted(this.#options.message, headers);
    if (this.id === undefined) this.#takeAccepted();
    const type = mediaTypeOf(headers);
    if (type === "text/event-stream") {
      this.#feed = this.#context.openFeed(this.#options.message, {
        onText: (text) => this.#takeText(text),
        onEnd: (why) => this.#breakOff(why),
        isWanted: () => !this.#isSettled,
      });
      return this.#streamSink(this.#feed.body(), status);
    }
    if (type === "application/json")
      return textSink(this.#context.maxMessageBytes, (text) => this.#takeJson(text, status));
    const isEmpty = status === 202 || status === 204 || headerOf(headers, "content-length") === "0";
    if (this.id !== undefined && !isEmpty) {
      if (type === "text/html") throw new SyntaxError(misnamed(type));
      return textSink(this.#context.maxMessageBytes, (text) => this.#takeMisnamed(text, type));
    }
    this.#isBodyless = true;
    return excerptSink(0, () => {});
  }

  /** Whatever follows the headers of an accepted notification or answer, nobody waits for it. */
  #takeAccepted(): void {
    this.#settle("done");
    this.#stopLingering ??= this.#context.onLingering(this.#letGo);
  }

  onReceived(): void {
    this.#watchdog?.heard();
  }

  #streamSink(sink: BodySink, status: number): BodySink {
    // Nobody waits for the end of a subscription's stream, so only a watchdog notices that it is dead.
    if (isSubscription(this.#options.message))
      this.#watchdog = new StreamWatchdog((why) => this.#call?.abort(new Error(why)));
    else this.#isBodyless = status === 202;
    return this.#isBodyless ? heardSink(sink, () => (this.#isBodyless = false)) : sink;
  }

  /**
   * An empty 202 of any type has no answer yet. JSON, such as `null`, for a message that expects no answer is stray and no failure.
   */
  #takeJson(text: string, status: number): void {
    if (status === 202 && text.trim() === "") this.#isBodyless = true;
    else if (this.id === undefined) this.#takeText(text);
    else for (const message of readMessages(text)) this.#take(message);
  }

  /** An answer is not thrown away because its type is called something else. */
  #takeMisnamed(text: string, type: string): void {
    let messages: readonly JSONRPCMessage[];
    try {
      messages = readMessages(text);
    } catch {
      throw new SyntaxError(misnamed(type));
    }
    for (const message of messages) this.#take(message);
  }

  #takeText(text: string): void {
    this.#watchdog?.heardMessage();
    try {
      for (const message of readMessages(text)) this.#take(message);
    } catch (error) {
      this.#unreadable = error as Error;
      this.#context.onStray(this.#unreadable);
    }
  }

  /** An answer to another request is not passed on: a server that mixes them up must not reach the wrong caller (threat T48). */
  #take(message: JSONRPCMessage): void {
    if ("method" in message) {
      this.#pass(message);
      return;
    }
    if (this.id === undefined || !isAnswerTo(this.id, message.id)) {
      this.#context.onStray(new Error("an answer arrived on the stream of another request"));
      return;
    }
    const answer = soundMessage(message.id === this.id ? message : { ...message, id: this.id });
    if (this.#options.hasSession && "error" in answer && isForgottenAnswer(answer.error)) {
      this.#settle({ status: 200, text: JSON.stringify(answer) });
    } else {
      this.#pass(answer);
      this.#settle("done");
    }
    if (this.#feed) this.#stopLingering ??= this.#context.onLingering(this.#letGo);
  }

  #pass(received: JSONRPCMessage): void {
    const { message, onMessage } = this.#options;
    if (onMessage) onMessage(received);
    else this.#context.onMessage(received, message);
  }

  onEnd(): void {
    this.#stopLingering?.();
    if (this.#isSettled) return;
    if (this.#feed && !this.#isBodyless) this.#feed.connectionEnded();
    else if (this.id === undefined) this.#settle("done");
    else if (this.#isBodyless && this.#context.awaitElsewhere()) this.waitsForOtherStreams = true;
    else this.#breakOff();
  }

  onError(error: Error): void {
    this.#stopLingering?.();
    if (this.#isSettled) return;
    if (!this.#isAccepted || error instanceof SyntaxError) this.#fail(error);
    else if (this.#feed) this.#feed.connectionEnded(error);
    else this.#breakOff({ error });
  }

  onRefusal(refusal: Refusal): void {
    const answer = this.#findAnswer(refusal);
    if (this.#options.hasSession && saysForgotten(refusal)) this.#settle(refusal);
    else if (answer) this.#take(answer);
    else this.#fail(this.#context.explain(refusal));
  }

  /** A modern server answers the request with a JSON-RPC error in the body of a refusal. */
  #findAnswer({ status, text }: Refusal): JSONRPCMessage | undefined {
    const { message } = this.#options;
    if ((status !== 400 && status !== 404) || claimedVersion(message) === undefined) return undefined;
    try {
      return readMessages(text ?? "").find((found) => "error" in found && found.id === this.id);
    } catch {
      return undefined;
    }
  }

  #breakOff({ error = this.#unreadable, refusal }: FeedEnd = {}): void {
    if (this.id === undefined) this.#settle("done");
    else if (this.#isTelling(error)) this.#fail(error);
    else this.#fail(brokenAnswer({ error, refusal }));
  }

  /** Whether the answer itself is at fault, and not its connection. */
  #isTelling(error: Error | undefined): error is Error {
    if (error instanceof TransportFault) return error.facts.kind === "message-too-large";
    return error !== undefined && error === this.#unreadable;
  }

  #fail(error: Error): void {
    if (this.#markSettled()) this.#outcome.reject(error);
  }

  #settle(outcome: PostOutcome): void {
    if (this.#markSettled()) this.#outcome.resolve(outcome);
  }

  #markSettled(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#watchdog?.stop();
    this.#options.signal?.removeEventListener("abort", this.#onSignal);
    this.#context.onSettled(this);
    return true;
  }
}

function misnamed(type: string): string {
  return `it answered with the content type "${type || "none"}"`;
}

/** A server that cannot tell which request was wrong answers without an id. This stream has only one request. */
function isAnswerTo(id: RequestId, answered: unknown): boolean {
  return answered === undefined || answered === null || String(answered) === String(id);
}

/**
 * The error of a request that was accepted and whose answer broke off. It has a message, but neither a status nor a cause: what stopped
 * the attempt to resume the answer, such as 404, 401 or a refused connection, must not be read as the outcome of the request.
 */
function brokenAnswer({ error, refusal }: FeedEnd): Error {
  const { code = error?.message } = (error ?? {}) as { readonly code?: unknown };
  const reason = refusal ? `resuming it was refused with HTTP ${refusal.status}` : code;
  return new Error(`its answer broke off${reason === undefined ? "" : `: ${reason}`}`);
}

/** How long a server may take to accept a message that expects no answer, in milliseconds. */
const NOTIFICATION_PATIENCE_MS = 10_000;

/** A message that expects no answer must not take as long as a call. */
function endInTime(post: Pick<MessagePost, "abort" | "settled">): void {
  const end = () => post.abort(new Error("the server did not accept it in time"));
  const timer = setTimeout(end, NOTIFICATION_PATIENCE_MS);
  const stop = () => clearTimeout(timer);
  post.settled.then(stop, stop);
}
