import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/client";
import type { ChannelFault } from "./channel-fault.ts";

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

/** Carries the messages of one connection: pipes, HTTP requests, or a server in this process. */
export interface Transport {
  /** Receives every message. `stream`: our request on whose own stream it came; missing where requests share a stream. */
  onmessage?: ((message: JSONRPCMessage, stream?: JSONRPCRequest) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Whether each request has a stream of its own, whose end cancels it, and headers. */
  readonly hasPerRequestStream?: boolean | undefined;
  /** Whether a server can hold as many connections as it has requests to answer. */
  readonly hasConnections?: boolean | undefined;
  /** How many lines came that are no messages, from a server that writes lines. */
  readonly strayLines?: number | undefined;
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
  fail?(fault: ChannelFault): void;
  close(): Promise<void>;
}
