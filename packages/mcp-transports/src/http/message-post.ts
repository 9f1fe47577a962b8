import type { JSONRPCMessage, RequestId, TransportSendOptions } from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";
import { soundMessage } from "../message-check.ts";
import type { QueueHooks } from "../queueing-transport.ts";
import type { RosterMember } from "../roster.ts";
import { type BodySink, excerptSink, textSink } from "./body-sink.ts";
import { brokenAnswer } from "./broken-answer.ts";
import type { Posting } from "./conversation.ts";
import type { EventFeed, FeedEnd } from "./event-feed.ts";
import type { HttpCall, HttpCallListener, Refusal } from "./http-call.ts";
import { headerOf, type IncomingHeaders } from "./http-wire.ts";
import { readMessages } from "./incoming-messages.ts";
import { mediaTypeOf } from "./media-type.ts";
import { claimedVersion } from "./message-headers.ts";

/** How long a server may take to take note of a message that asks nothing, in milliseconds. */
const NOTIFICATION_PATIENCE_MS = 10_000;

/** How a message went. `forgotten`: the server no longer knows the session, so it has not looked at the message. */
export type PostOutcome = "done" | "forgotten";

/** What a message hears of the stream that its answer comes by. */
export interface PostFeedEvents {
  onText(text: string): void;
  onEnd(why: FeedEnd): void;
  /** Whether the answer is still waited for. */
  isWanted(): boolean;
}

/** What the messages of a transport share. */
export interface PostSurroundings {
  readonly maxMessageBytes: number;
  call(posting: Posting, listener: HttpCallListener): HttpCall;
  /** Makes the stream that an answer comes by. */
  openFeed(message: JSONRPCMessage, events: PostFeedEvents): EventFeed;
  /** Something came by the stream of a message: its answer, or a message of the server's own. */
  onMessage(received: JSONRPCMessage, message: JSONRPCMessage): void;
  /** Something arrived that is no answer to this message, and none of a server's own messages. */
  onStray(error: Error): void;
  onAccepted(message: JSONRPCMessage, headers: IncomingHeaders): void;
  /** The answer has come, and the server keeps the stream open so far. Returns what to do once it has ended it. */
  onLingering(end: () => void): () => void;
  /** Nobody waits for the message any more, whatever came of it. */
  onSettled(post: MessagePost): void;
  /** It begins to wait for an answer by another stream. Returns whether one can still come. */
  awaitElsewhere(): boolean;
  explain(refusal: Refusal): Error;
}

export interface MessagePostOptions {
  readonly message: JSONRPCMessage;
  readonly hooks?: QueueHooks | undefined;
  readonly requestSignal?: TransportSendOptions["requestSignal"];
  readonly parameters?: Posting["parameters"];
  /** Whether it was sent as a part of a session, which the server may have forgotten. */
  readonly hasSession: boolean;
  /** Hears of messages in place of the surroundings. */
  readonly onMessage?: ((received: JSONRPCMessage) => void) | undefined;
}

/** One message on its way, and the answer to it if it is a request. */
export interface MessagePost extends RosterMember {
  /** Only of a request. */
  readonly id: RequestId | undefined;
  /** Resolves when the message is taken, and a request answered. Rejects as soon as it cannot be answered any more. */
  readonly settled: Promise<PostOutcome>;
  /** It was taken, and other streams are to bring the answer. */
  readonly waitsForOthers: boolean;
  start(): void;
  /** Another stream brought the answer. */
  answeredElsewhere(): void;
  /** The other streams have ended, or will not bring anything. */
  othersEnded(): void;
  /** Nobody waits for it any longer. */
  abort(reason: Error): void;
}

/** Prepares a message; `start` sends it at once. */
export function createMessagePost(surroundings: PostSurroundings, options: MessagePostOptions): MessagePost {
  return new RunningPost(surroundings, options);
}

/** It listens to its call itself: there is one for each call of a tool, and what is made for each of them costs. */
class RunningPost implements MessagePost, HttpCallListener {
  place = -1;
  readonly id: RequestId | undefined;
  readonly #surroundings: PostSurroundings;
  readonly #options: MessagePostOptions;
  readonly #outcome = Promise.withResolvers<PostOutcome>();
  #call: HttpCall | undefined;
  #feed: EventFeed | undefined;
  #stopLingering: (() => void) | undefined;
  /** What the stream brought that could not be read. */
  #unreadable: Error | undefined;
  #isSettled = false;
  #isTaken = false;
  /** It was taken, and nothing said about it. */
  #isBodyless = false;
  #waitsForOthers = false;

  constructor(surroundings: PostSurroundings, options: MessagePostOptions) {
    this.#surroundings = surroundings;
    this.#options = options;
    const { message } = options;
    this.id = "method" in message && "id" in message ? message.id : undefined;
  }

  get waitsForOthers(): boolean {
    return this.#waitsForOthers;
  }

  get settled(): Promise<PostOutcome> {
    return this.#outcome.promise;
  }

  start(): void {
    const { message, hooks, requestSignal, parameters } = this.#options;
    if (hooks?.isWanted() === false || requestSignal?.aborted) {
      this.#fail(new ChannelFault({ kind: "unwritable" }));
      return;
    }
    requestSignal?.addEventListener("abort", this.#onSignal, { once: true });
    try {
      const body = JSON.stringify(message);
      this.#call = this.#surroundings.call({ message, body, parameters }, this);
    } catch (error) {
      this.#fail(new ChannelFault({ kind: "unserializable" }, { cause: error }));
    }
    if (this.id === undefined) endInTime(this);
  }

  answeredElsewhere(): void {
    this.#settle("done");
  }

  othersEnded(): void {
    if (this.#waitsForOthers) this.#breakOff();
  }

  abort(reason: Error): void {
    this.#stopLingering?.();
    this.#fail(reason);
    this.#feed?.close();
    this.#call?.abort(reason);
  }

  readonly #letGo = () => this.abort(new Error("it was answered"));
  readonly #onSignal = () => this.abort(new Error("the request was given up"));

  onWriting(): void {
    this.#options.hooks?.onWriting();
  }

  onRefused(): void {
    this.#options.hooks?.onRefused?.();
  }

  onAccepted(status: number, headers: IncomingHeaders): BodySink {
    this.#isTaken = true;
    this.#surroundings.onAccepted(this.#options.message, headers);
    const type = mediaTypeOf(headers);
    if (type === "text/event-stream") {
      this.#feed = this.#surroundings.openFeed(this.#options.message, {
        onText: (text) => this.#takeText(text),
        onEnd: (why) => this.#breakOff(why),
        isWanted: () => !this.#isSettled,
      });
      return this.#feed.body();
    }
    if (type === "application/json")
      return textSink(this.#surroundings.maxMessageBytes, (text) => this.#takeJson(text, status));
    const isEmpty = status === 202 || status === 204 || headerOf(headers, "content-length") === "0";
    if (this.id !== undefined && !isEmpty)
      throw new SyntaxError(`it answered with the content type "${type || "none"}"`);
    this.#isBodyless = true;
    return excerptSink(0, () => {});
  }

  /** A message that was merely taken note of may be answered with any JSON, such as `null`. */
  #takeJson(text: string, status: number): void {
    if (this.id === undefined || (status === 202 && text.trim() === "")) {
      this.#takeText(text);
      return;
    }
    for (const message of readMessages(text)) this.#take(message);
  }

  #takeText(text: string): void {
    try {
      for (const message of readMessages(text)) this.#take(message);
    } catch (error) {
      this.#unreadable = error as Error;
      this.#surroundings.onStray(this.#unreadable);
    }
  }

  /** On the stream of one request no other is answered: a server that mixes them up must not reach the wrong caller (threat T48). */
  #take(message: JSONRPCMessage): void {
    if ("method" in message) {
      this.#pass(message);
      return;
    }
    if (this.id === undefined || !isAnswerTo(this.id, message.id)) {
      this.#surroundings.onStray(new Error("an answer came by the stream of another request"));
      return;
    }
    this.#pass(soundMessage(message.id === this.id ? message : { ...message, id: this.id }));
    this.#settle("done");
    if (this.#feed) this.#stopLingering = this.#surroundings.onLingering(this.#letGo);
  }

  #pass(received: JSONRPCMessage): void {
    const { message, onMessage } = this.#options;
    if (onMessage) onMessage(received);
    else this.#surroundings.onMessage(received, message);
  }

  onEnd(): void {
    this.#stopLingering?.();
    if (this.#isSettled) return;
    if (this.#feed) this.#feed.ended();
    else if (this.id === undefined) this.#settle("done");
    else if (this.#isBodyless && this.#surroundings.awaitElsewhere()) this.#waitsForOthers = true;
    else this.#breakOff();
  }

  onError(error: Error): void {
    this.#stopLingering?.();
    if (this.#isSettled) return;
    if (!this.#isTaken || error instanceof SyntaxError) this.#fail(error);
    else if (this.#feed) this.#feed.ended(error);
    else this.#breakOff({ error });
  }

  onRefusal(refusal: Refusal): void {
    if (refusal.status === 404 && this.#options.hasSession) {
      this.#settle("forgotten");
      return;
    }
    const answer = this.#findAnswer(refusal);
    if (answer) this.#take(answer);
    else this.#fail(this.#surroundings.explain(refusal));
  }

  /** A modern server says in the body of a refusal what it thinks of the request. */
  #findAnswer({ status, text }: Refusal): JSONRPCMessage | undefined {
    const { message } = this.#options;
    if ((status !== 400 && status !== 404) || claimedVersion(message) === undefined) return undefined;
    try {
      return readMessages(text).find((found) => "error" in found && found.id === this.id);
    } catch {
      return undefined;
    }
  }

  #breakOff({ error = this.#unreadable, refusal }: FeedEnd = {}): void {
    if (this.id === undefined) this.#settle("done");
    else if (this.#isTelling(error)) this.#fail(error);
    else this.#fail(brokenAnswer({ error, refusal }));
  }

  /** Whether the answer itself is what is wrong, and not the way it came by. */
  #isTelling(error: Error | undefined): error is Error {
    if (error instanceof ChannelFault) return error.facts.kind === "message-too-large";
    return error !== undefined && error === this.#unreadable;
  }

  #fail(error: Error): void {
    if (this.#end()) this.#outcome.reject(error);
  }

  #settle(outcome: PostOutcome): void {
    if (this.#end()) this.#outcome.resolve(outcome);
  }

  #end(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#options.requestSignal?.removeEventListener("abort", this.#onSignal);
    this.#surroundings.onSettled(this);
    return true;
  }
}

/** Whoever cannot tell which request was wrong answers without an id; on this stream there is only one. */
function isAnswerTo(id: RequestId, answered: unknown): boolean {
  return answered === undefined || answered === null || String(answered) === String(id);
}

/** A message that asks nothing must not be waited for as long as a call. */
function endInTime(post: MessagePost): void {
  const end = () => post.abort(new Error("the server did not take note of it"));
  const timer = setTimeout(end, NOTIFICATION_PATIENCE_MS);
  const stop = () => clearTimeout(timer);
  post.settled.then(stop, stop);
}
