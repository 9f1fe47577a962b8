import type {
  JSONRPCMessage,
  JSONRPCRequest,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import type { ChannelFault } from "./channel-fault.ts";

/** What a transport says about a message that it received. */
export interface Received extends MessageExtraInfo {
  /** The request on whose own stream the message came. Missing on a transport or a stream that all requests share. */
  readonly onStreamOf?: JSONRPCRequest | undefined;
}

/** Callbacks of a queue about one message. */
export interface QueueHooks {
  /** Asked before the message is written. If false, the message is not written. */
  isWanted(): boolean;
  /** The message is about to be written: from now on it may arrive. */
  onWriting(): void;
  /** The message was refused before it was processed, and may be written again. */
  onRefused?(): void;
}

/** Follows a message without the cost of a promise. */
export interface SendFollower extends QueueHooks {
  /** The message could not be sent, or its answer can no longer arrive. `error` is what `send` would reject with. */
  onFailed(error: unknown): void;
}

export interface QueueingSendOptions extends TransportSendOptions {
  readonly hooks?: QueueHooks | undefined;
}

/** A transport in which a message can wait before it is written. */
export interface QueueingTransport extends Transport {
  readonly isQueueing: true;
  send(message: JSONRPCMessage, options?: QueueingSendOptions): Promise<void>;
  /** Like `send`, for many requests that need no promise each. */
  post(message: JSONRPCMessage, follower: SendFollower): void;
  /** Gives up a request that has its own connection: it is no longer written, and the rest of its response is not read. */
  abandon?(request: RequestId): void;
  /** A waiting message is no longer wanted, so its room may be used for others. */
  noticeUnwanted?(): void;
  /** Ends the connection because of a fault that makes it unusable. */
  fail?(fault: ChannelFault): void;
}

/** Whether a transport reports when a message is written. Other transports write a message at once. */
export function isQueueing(transport: Transport): transport is QueueingTransport {
  return "isQueueing" in transport && transport.isQueueing === true;
}
