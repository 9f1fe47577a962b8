import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { SendFollower, Unattended } from "../transport.ts";
import { type HttpCall, type HttpCallListener, type HttpCallTools, startHttpCall } from "./http-call.ts";
import type { HeaderList } from "./http-wire.ts";
import {
  claimedVersion,
  commonHeaders,
  mirroredHeaders,
  postHeaders,
  streamHeaders,
} from "./message-headers.ts";
import { LimitedLogin } from "./stream-credentials.ts";

export interface ConversationOptions extends HttpCallTools {
  readonly url: URL;
  /** The configured headers, without the reserved ones. */
  readonly configured: HeaderList;
}

/** What the transports of remote servers share. */
export interface RemoteOptions extends ConversationOptions {
  /** The limit for one decoded message; `0` means no limit. */
  readonly maxMessageBytes: number;
  /** Aborted when the transport is closed: no login outlives it. */
  readonly closing: AbortController;
  /** What must not be shown, besides the secrets of the entry. */
  secrets(): readonly string[];
}

/** A message to send. */
export interface Posting {
  readonly message: JSONRPCMessage;
  /** The message as JSON. */
  readonly body: string;
  /** Knows the headers that repeat parts of the message, and whether a caller waits for it. */
  readonly follower?: Pick<SendFollower, "headers" | "unattended"> | undefined;
  /** Default: that of the conversation. */
  readonly url?: URL | undefined;
}

/** The requests to one endpoint, each with the headers that the state of the conversation asks for. */
export class Conversation {
  readonly #options: ConversationOptions;
  /** The credentials of unattended requests. */
  readonly #unattended: LimitedLogin;
  #sessionId: string | undefined;
  #protocolVersion: string | undefined;
  /** Cached for messages that have no headers of their own: in a legacy session, all but `initialize`. */
  #postHeaders: HeaderList | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#unattended = new LimitedLogin(options.credentials, () => false);
  }

  /** Sent with every request but `initialize`. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  set sessionId(sessionId: string | undefined) {
    this.#sessionId = sessionId;
    this.#postHeaders = undefined;
  }

  /** Sent with every request once it was negotiated. */
  get protocolVersion(): string | undefined {
    return this.#protocolVersion;
  }

  set protocolVersion(version: string | undefined) {
    this.#protocolVersion = version;
    this.#postHeaders = undefined;
  }

  post({ message, body, follower, url = this.#options.url }: Posting, listener: HttpCallListener): HttpCall {
    const headers = this.#headersOf(message, follower?.headers);
    const unattended = follower?.unattended;
    const tools = unattended ? this.#toolsOf(unattended) : this.#options;
    return startHttpCall(tools, { method: "POST", url, headers, body, isStream: false }, listener);
  }

  /** An unattended request is repeated by itself. Like the server's own stream, it may trigger a login only the first time. */
  #toolsOf({ wasGranted }: Unattended): HttpCallTools {
    if (wasGranted) this.#unattended.opened();
    const { wire, cookies } = this.#options;
    return { wire, cookies, credentials: this.#unattended.credentials };
  }

  /** Opens a stream, or resumes it after the event `lastEventId`. */
  get(
    lastEventId: string | undefined,
    listener: HttpCallListener,
    credentials = this.#options.credentials,
  ): HttpCall {
    const headers = streamHeaders(this.#state(), lastEventId);
    const { url, wire, cookies } = this.#options;
    return startHttpCall(
      { wire, cookies, credentials },
      { method: "GET", url, headers, isStream: true },
      listener,
    );
  }

  /** Ends the session, which is over even if the request is refused. No challenge is met. */
  delete(listener: HttpCallListener): HttpCall {
    const headers = commonHeaders(this.#state());
    const { url, wire, cookies, credentials } = this.#options;
    // The end of a program must trigger neither a login nor a token refresh.
    const ready = credentials && { ...credentials, meetChallenge: async () => false };
    return startHttpCall(
      { wire, cookies, credentials: ready },
      { method: "DELETE", url, headers, isStream: false },
      listener,
    );
  }

  #headersOf(message: JSONRPCMessage, mirrored: { readonly [name: string]: string } | undefined): HeaderList {
    if (isInitialize(message))
      return postHeaders({ ...this.#state(), sessionId: undefined, protocolVersion: undefined });
    const version = claimedVersion(message);
    if (version !== undefined)
      return [
        ...postHeaders({ ...this.#state(), protocolVersion: undefined }),
        ...mirroredHeaders(message, version, mirrored),
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

/** Whether the answer to a message is a stream that stays open while nothing changes (MCP 2026-07-28). */
export function isSubscription(message: JSONRPCMessage): boolean {
  return "method" in message && message.method === "subscriptions/listen";
}
