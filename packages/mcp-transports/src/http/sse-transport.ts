import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/client";
import { asError, displayUrl } from "../errors/wording.ts";
import { TransportFault } from "../faults.ts";
import { readMessages, soundMessage } from "../message-check.ts";
import type { ConnectionFacts, SendFollower, Transport } from "../transport.ts";
import { eventSink, excerptSink, type StreamEvent } from "./body-sink.ts";
import { Conversation, type RemoteOptions } from "./conversation.ts";
import type { HttpCall } from "./http-call.ts";
import { isEventStream } from "./http-wire.ts";
import { refusalError } from "./refusal-error.ts";
import { idsInEndpoint } from "./session-id.ts";
import { StreamWatchdog } from "./stream-watchdog.ts";

/** Longer endpoints are refused (RFC 9110, section 4.1, recommends support for 8,000 octets). In characters. */
const LONGEST_ENDPOINT = 8 * 1024;

/**
 * A server behind the older HTTP+SSE transport (protocol 2024-11-05). The stream is the connection: it brings all messages, and it cannot be
 * resumed.
 */
export class SseTransport implements Transport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  readonly hasConnections = true;

  readonly #options: RemoteOptions;
  readonly #conversation: Conversation;
  readonly #opening = Promise.withResolvers<URL>();
  /** The calls under way, each with the id of its request, if it sends one. */
  readonly #posts = new Map<HttpCall, RequestId | undefined>();
  #stream: HttpCall | undefined;
  #watchdog: StreamWatchdog | undefined;
  #endpoint: URL | undefined;
  /** The server has named an endpoint, which only one of this transport does. */
  #isConfirmed = false;
  #sessionIds: readonly string[] | undefined;
  #fault: Error | undefined;
  #isEnded = false;

  constructor(options: RemoteOptions) {
    this.#options = options;
    this.#conversation = new Conversation(options);
  }

  facts(): ConnectionFacts {
    const { wire, secrets } = this.#options;
    return {
      fault: this.#fault,
      isConfirmedSse: this.#isConfirmed,
      proxy: wire.proxy,
      secrets: [...secrets(), ...(this.#sessionIds ?? [])],
    };
  }

  async start(): Promise<void> {
    const endOutput = () => this.#end(new TransportFault({ kind: "output-ended" }));
    this.#stream = this.#conversation.get(undefined, {
      onAccepted: (_status, headers) => {
        if (!isEventStream(headers)) throw new SyntaxError("its answer is not an event stream");
        const sink = eventSink({
          maxEventBytes: this.#options.maxMessageBytes,
          onEvent: (event) => this.#take(event),
        });
        this.#watchdog = new StreamWatchdog(endOutput);
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

  fail(fault: TransportFault): void {
    this.#end(fault);
  }

  async close(): Promise<void> {
    this.#options.closing.abort();
    this.#end(undefined);
    await this.#options.wire.close();
  }

  async #deliver(message: JSONRPCMessage, hooks: SendFollower | undefined): Promise<void> {
    // A refused endpoint may follow the accepted one before the first message is sent.
    if (this.#isEnded) throw this.#fault ?? new TransportFault({ kind: "unwritable" });
    if (!this.#endpoint) throw new TransportFault({ kind: "unwritable" });
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
    this.#isConfirmed = true;
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
    const reason = fault ?? new TransportFault({ kind: "unwritable" });
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
    throw new TransportFault({ kind: "unserializable" }, { cause: error });
  }
}
