import type { JsonObject, Progress } from "@jackfield/mcp-core";
import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";
import { isQueueing, type QueueingTransport, type SendFollower } from "../queueing-transport.ts";
import { createIdTable } from "./id-table.ts";

/** An answer to a request, good or bad. */
export type RpcAnswer = Exclude<JSONRPCMessage, { method: string }>;

/** The error of an answer, as a failed request is explained with it. */
export function errorOf({ error }: { readonly error?: unknown }): Error {
  const { code, message, data } = error as {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
  };
  return Object.assign(new Error(message), { code, data });
}

/** A request that is made beside the SDK's client. It hears of everything that becomes of it. */
export interface DirectRequest extends SendFollower {
  /** Given when it is sent. */
  id: number;
  /** Whether any of it was written, and not refused. */
  readonly isWritten: boolean;
  onProgress(progress: Progress): void;
  onAnswer(answer: RpcAnswer): void;
}

/** Requests with ids of our own, on a transport that the SDK's client uses as well. */
export interface DirectRequests {
  /** Sends a request, with its id as the progress token, unless nobody wants it any more. The request hears of what goes wrong. */
  send(request: DirectRequest, method: string, params: JsonObject): void;
  find(id: number): DirectRequest | undefined;
  /** Its answer has come. */
  remove(request: DirectRequest): void;
  /** Tells the server that nobody waits for the answer to a request that was written. */
  cancel(id: RequestId): void;
  /** Nobody waits for it any longer: the server is told, unless it has answered or never heard of it. */
  giveUp(request: DirectRequest): void;
}

export interface DirectRequestsOptions {
  readonly transport: Transport | QueueingTransport;
  /** The transport's own, before anybody put another in its place. */
  readonly send: Transport["send"];
  /** What every message of the modern era says of its sender, as `_meta`. */
  readonly envelope: JsonObject | undefined;
}

/** Sends on a transport that is connected; answers and progress are brought by whoever watches it. */
export function createDirectRequests({ transport, send, envelope }: DirectRequestsOptions): DirectRequests {
  const unanswered = createIdTable<DirectRequest>();
  const post = isQueueing(transport)
    ? transport.post.bind(transport)
    : (message: JSONRPCMessage, follower: SendFollower) => {
        follower.onWriting();
        send(message).catch((error) => follower.onFailed(error));
      };
  /** In the modern era whoever ends a request's own stream has said it (MCP 2026-07-28, Streamable HTTP, "Cancellation"). */
  const endsByStream = envelope !== undefined && isQueueing(transport) && transport.abandon !== undefined;
  const cancel = (id: RequestId) => {
    if (endsByStream) return transport.abandon?.(id);
    const params = {
      requestId: id,
      reason: "the caller no longer waits",
      ...(envelope && { _meta: envelope }),
    };
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params }).catch(() => {});
  };
  return {
    send(request, method, params) {
      if (!request.isWanted()) return;
      unanswered.add(request);
      const { id } = request;
      const { _meta: given } = params;
      const meta =
        envelope || given
          ? { ...envelope, ...(given as JsonObject | undefined), progressToken: id }
          : { progressToken: id };
      post({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } }, request);
    },
    find: (id) => unanswered.find(id),
    remove: (request) => void unanswered.remove(request),
    cancel,
    giveUp(request) {
      if (!unanswered.remove(request)) return;
      if (endsByStream || request.isWritten) cancel(request.id);
      else if (isQueueing(transport)) {
        transport.abandon?.(request.id);
        transport.noticeUnwanted?.();
      }
    },
  };
}
