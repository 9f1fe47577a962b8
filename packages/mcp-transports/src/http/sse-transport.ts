import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/client";
import { ChannelFault } from "../channel-fault.ts";
import { asError } from "../errors/thrown-error.ts";
import { soundMessage } from "../message-check.ts";
import type { SendFollower, Transport } from "../transport.ts";
import { eventSink, excerptSink } from "./body-sink.ts";
import { type Conversation, type ConversationOptions, createConversation } from "./conversation.ts";
import type { StreamEvent } from "./event-stream-parser.ts";
import type { HttpCall } from "./http-call.ts";
import { isEventStream, readMessages } from "./incoming-messages.ts";
import { displayUrl } from "./redirects.ts";
import { refusalError } from "./refusal-error.ts";
import { idsInEndpoint } from "./session-id.ts";
import { createStreamWatchdog, type StreamWatchdog } from "./stream-watchdog.ts";

/** Longer endpoints are refused (RFC 9110, section 4.1, recommends support for 8,000 octets). In characters. */
const LONGEST_ENDPOINT = 8 * 1024;

export interface SseTransportOptions extends ConversationOptions {
  /** The limit for one decoded message; `0` means no limit. */
  readonly maxMessageBytes: number;
}

/** A server behind the older HTTP+SSE transport (protocol 2024-11-05). */
export interface SseTransport extends Transport {
  /** Why the stream ended, unless `close` ended it. */
  readonly fault: Error | undefined;
  /** The server has sent the endpoint for messages. */
  readonly hasEndpoint: boolean;
  /** Possible session ids, found in the endpoint. */
  readonly sessionIds: readonly string[];
  setProtocolVersion(version: string): void;
}

export function createSseTransport(options: SseTransportOptions): SseTransport {
  return new StreamTransport(options);
}

/** The stream is the connection: it brings all messages, and it cannot be resumed. */
class StreamTransport implements SseTransport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  readonly hasConnections = true;

  readonly #options: SseTransportOptions;
  readonly #conversation: Conversation;
  readonly #opening = Promise.withResolvers<URL>();
  /** The calls under way, each with the id of its request, if it sends one. */
  readonly #posts = new Map<HttpCall, RequestId | undefined>();
  #stream: HttpCall | undefined;
  #watchdog: StreamWatchdog | undefined;
  #endpoint: URL | undefined;
  #sessionIds: readonly string[] | undefined;
  #fault: Error | undefined;
  #isEnded = false;

  constructor(options: SseTransportOptions) {
    this.#options = options;
    this.#conversation = createConversation(options);
  }

  get fault(): Error | undefined {
    return this.#fault;
  }

  get hasEndpoint(): boolean {
    return this.#endpoint !== undefined;
  }

  get sessionIds(): readonly string[] {
    return this.#sessionIds ?? [];
  }

  /** Resolves once the server has sent the endpoint for messages. */
  async start(): Promise<void> {
    const endOutput = () => this.#end(new ChannelFault({ kind: "output-ended" }));
    this.#stream = this.#conversation.get(undefined, {
      onAccepted: (_status, headers) => {
        if (!isEventStream(headers)) throw new SyntaxError("its answer is not an event stream");
        const sink = eventSink({
          maxEventBytes: this.#options.maxMessageBytes,
          onEvent: (event) => this.#take(event),
          onRetry: () => {},
        });
        this.#watchdog = createStreamWatchdog(endOutput);
        return sink;
      },
      onReceived: () => this.#watchdog?.heard(),
      onEnd: endOutput,
      onRefusal: (refusal) => this.#end(refusalError(refusal)),
      onError: (error) => this.#end(error),
    });
    this.#endpoint = await this.#opening.promise;
  }

  setProtocolVersion(version: string): void {
    this.#conversation.protocolVersion = version;
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#deliver(message, undefined);
  }

  post(message: JSONRPCMessage, follower: SendFollower): void {
    this.#deliver(message, follower).catch((error) => follower.onFailed(error));
  }

  abandon(request: RequestId): void {
    for (const [post, id] of this.#posts)
      if (id === request) post.abort(new Error("the request was aborted"));
  }

  fail(fault: ChannelFault): void {
    this.#end(fault);
  }

  async close(): Promise<void> {
    this.#end(undefined);
    await this.#options.wire.close();
  }

  async #deliver(message: JSONRPCMessage, hooks: SendFollower | undefined): Promise<void> {
    // A refused endpoint may follow the accepted one before the first message is sent.
    if (this.#isEnded) throw this.#fault ?? new ChannelFault({ kind: "unwritable" });
    if (!this.#endpoint) throw new ChannelFault({ kind: "unwritable" });
    if (hooks?.isWanted() === false) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const call = this.#conversation.post(
      { message, body: serialize(message), url: this.#endpoint },
      {
        ...(hooks && {
          isWanted: () => hooks.isWanted(),
          onWriting: () => hooks.onWriting(),
          onRefused: (login) => hooks.onRefused(login),
        }),
        onAccepted: () => excerptSink(0, () => {}),
        onEnd: resolve,
        onRefusal: (refusal) => reject(refusalError(refusal)),
        onError: reject,
      },
    );
    this.#posts.set(call, "method" in message && "id" in message ? message.id : undefined);
    await promise.finally(() => this.#posts.delete(call));
  }

  #take({ type, data }: StreamEvent): void {
    if (type === "endpoint") this.#takeEndpoint(data);
    else if (type === "message" && data !== "") this.#takeMessages(data);
  }

  /** Refuses another origin: a server could have messages and credentials delivered to anybody (threat T46). */
  #takeEndpoint(text: string): void {
    const { url } = this.#options;
    if (text.length > LONGEST_ENDPOINT) {
      this.#end(new SyntaxError(`its message endpoint is longer than ${LONGEST_ENDPOINT} characters`));
      return;
    }
    const endpoint = URL.canParse(text, url.href) ? new URL(text, url.href) : undefined;
    if (endpoint?.origin === url.origin && !endpoint.username && !endpoint.password) {
      // Set at once: messages in the same piece are logged before `start` resolves.
      this.#sessionIds ??= idsInEndpoint(endpoint, url);
      this.#opening.resolve(endpoint);
      return;
    }
    const shown = endpoint ? displayUrl(endpoint) : "an invalid address";
    this.#end(new SyntaxError(`its message endpoint is not on its own origin: ${shown}`));
  }

  #takeMessages(text: string): void {
    this.#watchdog?.heardMessage();
    try {
      for (const message of readMessages(text)) this.onmessage?.(soundMessage(message));
    } catch (error) {
      this.onerror?.(asError(error));
    }
  }

  #end(fault: Error | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#fault = fault;
    this.#watchdog?.stop();
    const reason = fault ?? new ChannelFault({ kind: "unwritable" });
    this.#opening.promise.catch(() => {}); // not awaited any more once it was opened
    this.#opening.reject(reason);
    for (const post of [...this.#posts.keys()]) post.abort(reason);
    this.#stream?.abort(reason);
    this.onclose?.();
  }
}

function serialize(message: JSONRPCMessage): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    throw new ChannelFault({ kind: "unserializable" }, { cause: error });
  }
}
