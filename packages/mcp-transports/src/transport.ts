import type { ConnectOptions, Logger, NetworkFor, NetworkOptions } from "@jackfield/mcp-core";
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/client";
import type { TransportFault } from "./faults.ts";

/** How remote servers are reached. */
export interface HttpOptions extends NetworkOptions {
  /**
   * Makes every request in place of undici, with `redirect: "manual"`. It has to handle proxies, TLS and connection pools itself:
   * `tls` and `proxy` are ignored.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The same options for all servers, or a function that chooses them when a server is connected, and is told for whom. */
export type HttpOptionsSource = HttpOptions | NetworkFor<HttpOptions>;

/** Facts about a request that a session repeats by itself and that no caller waits for. */
export interface Unattended {
  /** The server has granted the request before. */
  readonly wasGranted: boolean;
}

/** Follows one message, without the cost of a promise. */
export interface SendFollower {
  /** Asked before the message is written. If false, the message is not written. */
  isWanted(): boolean;
  /** The message is about to be written: from now on it may arrive. */
  onWriting(): void;
  /** The message was refused before it was processed, and may be written again: after `login`, if somebody has to log in first. */
  onRefused(login?: Promise<unknown>): void;
  /** The message could not be sent, or its answer can no longer arrive. */
  onFailed(error: unknown): void;
  /** Headers that repeat parts of the message. A transport without headers ignores them. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly unattended?: Unattended | undefined;
}

/** The connection to one server, with everything behind it: a process, sockets, or a server in this process. Nothing starts before `start`. */
export interface Transport {
  /** Receives every message. `stream`: our request on whose own stream it came; missing where requests share a stream. */
  onmessage?: ((message: JSONRPCMessage, stream?: JSONRPCRequest) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /**
   * Whether the server is at the other end of pipes. Only then does silence after a probe mean a legacy server, and is a process that dies
   * of the probe started again.
   */
  readonly isPipe?: boolean | undefined;
  /** Whether each request has a stream of its own, whose end cancels it, and headers. */
  readonly hasPerRequestStream?: boolean | undefined;
  /** Whether a server can hold as many connections as it has requests to answer. */
  readonly hasConnections?: boolean | undefined;
  /** How many lines came that are no messages, from a server that writes lines. */
  readonly strayLines?: number | undefined;
  facts(): ConnectionFacts;
  start(): Promise<void>;
  /** Sends a message. Resolves when it is written, or accepted. */
  send(message: JSONRPCMessage): Promise<void>;
  /** Sends a message and reports to the follower. Never throws. */
  post(message: JSONRPCMessage, follower: SendFollower): void;
  setProtocolVersion?(version: string): void;
  /** Gives up a request that has its own connection: it is no longer written, and the rest of its response is not read. */
  abandon?(request: RequestId): void;
  /** A waiting message is no longer wanted, so its room may be used for others. */
  noticeUnwanted?(): void;
  /** Ends the connection because of a fault that makes it unusable. Missing where the server is part of this process. */
  fail?(fault: TransportFault): void;
  /** Calls the listener when a new session with the server has begun. */
  onRenewed?(listener: () => void): void;
  /**
   * Calls the listener whenever an authorization challenge was met: the server may now accept what it has refused. Missing if nobody can
   * renew credentials, so that such a refusal is final.
   */
  readonly onChallengeMet?: ((listener: () => void) => void) | undefined;
  /** Ends everything behind the connection. Idempotent, never rejects. `hurry`: skip the graceful end, which no one would notice. */
  close(options?: { readonly hurry?: boolean | undefined }): Promise<void>;
}

/** How a server's process ended by itself. One of the two is set. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Lines on standard output that are not JSON-RPC. */
export interface StrayOutput {
  readonly lines: number;
  /** The first and the last such line, unredacted and possibly long. */
  readonly first: string;
  readonly last: string;
}

/** What is known about a connection, for error messages. Nothing in it is redacted. */
export interface ConnectionFacts {
  readonly exit?: ProcessExit | undefined;
  /** Why it ended, if it ended by itself. */
  readonly fault?: Error | undefined;
  /** The end of what the process wrote to standard error. */
  readonly stderr?: string | undefined;
  readonly stray?: StrayOutput | undefined;
  /** Whether the process has answered anything. */
  readonly hasAnswered?: boolean | undefined;
  /** How the server that answered a session renewal differs from the original one, if it does. */
  readonly differences?: readonly string[] | undefined;
  /** The proxy between the server and this client, without user and password. */
  readonly proxy?: string | undefined;
  /** What must not be shown, besides the secrets of the entry: session ids, and secrets that follow from the URL. */
  readonly secrets?: readonly string[] | undefined;
  /** Whether the server has accepted a message over Streamable HTTP. */
  readonly hasAccepted?: boolean | undefined;
  /** Whether the server has shown that it speaks this transport. Set only by the SSE transport. */
  readonly isConfirmedSse?: boolean | undefined;
}

/** What transports are made with, besides their server. */
export interface TransportTools extends Pick<ConnectOptions, "auth" | "principal" | "beforeRenewal"> {
  readonly http?: HttpOptionsSource | undefined;
  readonly maxMessageBytes: number;
  /** `0` means no limit. */
  readonly connectTimeoutMs: number;
  readonly closeTimeoutMs: number;
  readonly log: Logger;
  /** Hears each line that a server's process writes to its standard error. */
  readonly onErrorLine?: ((line: string) => void) | undefined;
}
