import type {
  JSONRPCMessage,
  RequestId,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import type { ChannelFault } from "./channel-fault.ts";

/** What a queue asks and tells about one message. */
export interface QueueHooks {
  /** Asked before the message is written; one that nobody wants is left out. */
  isWanted(): boolean;
  /** The message is about to be written: from now on it may arrive. */
  onWriting(): void;
  /** It was refused before it was processed; it may be written once more. */
  onRefused?(): void;
}

/** Follows a message without a promise of its own. */
export interface SendFollower extends QueueHooks {
  /** It could not be sent, or its answer cannot come any more: what `send` would reject with. */
  onFailed(error: unknown): void;
}

export interface QueueingSendOptions extends TransportSendOptions {
  readonly hooks?: QueueHooks | undefined;
}

/** A transport with which a message can wait before anything of it is written. */
export interface QueueingTransport extends Transport {
  readonly isQueueing: true;
  send(message: JSONRPCMessage, options?: QueueingSendOptions): Promise<void>;
  /** The same for whoever makes many requests and needs no promise for each. */
  post(message: JSONRPCMessage, follower: SendFollower): void;
  /**
   * Gives a request up that has a connection of its own: it is not written any more, and what is to come by that connection is not read.
   */
  abandon?(request: RequestId): void;
  /** A message that waits is not wanted any more, so that it may make room for others. */
  noticeUnwanted?(): void;
  /** Ends the conversation, which the server has made impossible. */
  fail?(fault: ChannelFault): void;
}

/** Whether a transport tells when a message is written. Others write it when they are handed it. */
export function isQueueing(transport: Transport): transport is QueueingTransport {
  return "isQueueing" in transport && transport.isQueueing === true;
}
