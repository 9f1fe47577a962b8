import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { type HttpCall, type HttpCallOptions, type HttpCallTools, startHttpCall } from "./http-call.ts";
import type { HeaderList } from "./http-wire.ts";
import {
  claimedVersion,
  commonHeaders,
  mirroredHeaders,
  postHeaders,
  streamHeaders,
} from "./message-headers.ts";

/** What a call of a conversation is told; the rest follows from the conversation. */
export type ConversationCall = Omit<HttpCallOptions, "method" | "url" | "headers">;

export interface ConversationOptions extends HttpCallTools {
  readonly url: URL;
  /** As configured, without those that are ours to set. */
  readonly configured: HeaderList;
}

/** The requests to one endpoint, each with the headers that the state of the conversation asks for. */
export interface Conversation {
  /** Sent with everything but the message that begins a session. */
  sessionId: string | undefined;
  /** Sent with everything once it was negotiated. */
  protocolVersion: string | undefined;
  /** `parameters`: headers that repeat single parameters of the message. `url`: default, that of the conversation. */
  post(
    message: JSONRPCMessage,
    call: ConversationCall,
    options?: {
      readonly parameters?: { readonly [name: string]: string } | undefined;
      readonly url?: URL | undefined;
    },
  ): HttpCall;
  /** Opens a stream, after the event of that id if there is one. */
  get(lastEventId: string | undefined, call: ConversationCall): HttpCall;
  delete(call: ConversationCall): HttpCall;
}

export function createConversation(options: ConversationOptions): Conversation {
  return new HttpConversation(options);
}

class HttpConversation implements Conversation {
  readonly #options: ConversationOptions;
  #sessionId: string | undefined;
  #protocolVersion: string | undefined;
  /** Of messages that say nothing about their headers, which is all of a legacy session but the first. */
  #postHeaders: HeaderList | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  set sessionId(sessionId: string | undefined) {
    this.#sessionId = sessionId;
    this.#postHeaders = undefined;
  }

  get protocolVersion(): string | undefined {
    return this.#protocolVersion;
  }

  set protocolVersion(version: string | undefined) {
    this.#protocolVersion = version;
    this.#postHeaders = undefined;
  }

  post(
    message: JSONRPCMessage,
    call: ConversationCall,
    options: Parameters<Conversation["post"]>[2] = {},
  ): HttpCall {
    const { parameters, url = this.#options.url } = options;
    const headers = this.#headersOf(message, parameters);
    return startHttpCall(this.#options, { ...call, method: "POST", url, headers });
  }

  get(lastEventId: string | undefined, call: ConversationCall): HttpCall {
    const headers = streamHeaders(this.#state(), lastEventId);
    return startHttpCall(this.#options, { ...call, method: "GET", url: this.#options.url, headers });
  }

  delete(call: ConversationCall): HttpCall {
    const headers = commonHeaders(this.#state());
    return startHttpCall(this.#options, { ...call, method: "DELETE", url: this.#options.url, headers });
  }

  #headersOf(
    message: JSONRPCMessage,
    parameters: { readonly [name: string]: string } | undefined,
  ): HeaderList {
    if (isInitialize(message))
      return postHeaders({ ...this.#state(), sessionId: undefined, protocolVersion: undefined });
    const version = claimedVersion(message);
    if (version !== undefined)
      return [
        ...postHeaders({ ...this.#state(), protocolVersion: undefined }),
        ...mirroredHeaders(message, version, parameters),
      ];
    this.#postHeaders ??= postHeaders(this.#state());
    return this.#postHeaders;
  }

  #state() {
    const { configured, wire } = this.#options;
    const { sessionId, protocolVersion } = this;
    return { configured, sessionId, protocolVersion, takesEncodings: !wire.isDecoding };
  }
}

/** Whether a message begins a session. */
export function isInitialize(message: JSONRPCMessage): boolean {
  return "method" in message && message.method === "initialize";
}
