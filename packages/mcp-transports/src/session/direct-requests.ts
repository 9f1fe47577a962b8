import type { JsonObject, Progress, SessionRequestOptions } from "@jackfield/mcp-core";
import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/client";
import { isQueueing, type QueueingTransport, type SendFollower } from "../queueing-transport.ts";
import { createIdTable, type IdTable } from "./id-table.ts";

/** An answer to a request: a result or an error. */
export type RpcAnswer = Exclude<JSONRPCMessage, { method: string }>;

/** The error of an answer as an `Error` with its code and data. */
export function errorOf({ error }: { readonly error?: unknown }): Error {
  const { code, message, data } = error as {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
  };
  return Object.assign(new Error(message), { code, data });
}

/** A request that bypasses the SDK's client. Its methods report everything that happens to it. */
export interface DirectRequest extends SendFollower {
  /** Assigned when the request is sent. */
  id: number;
  /** Whether any of the request was written and not refused. */
  readonly isWritten: boolean;
  onProgress(progress: Progress): void;
  onAnswer(answer: RpcAnswer): void;
}

/** What a request sends. */
export interface DirectMessage {
  readonly method: string;
  readonly params: JsonObject;
  /** Its `meta` is sent in place of the parameters' own. */
  readonly request: Pick<SessionRequestOptions, "meta">;
}

/** Requests with our own ids, on a transport that the SDK's client uses as well. */
export interface DirectRequests {
  /** Sends a request, with its id as the progress token. Errors go to the request. */
  send(request: DirectRequest, message: DirectMessage): void;
  /** Requests that wait for their answers. One whose answer has arrived is taken out. */
  readonly unanswered: Pick<IdTable<DirectRequest>, "find" | "take">;
  /** Cancels a request that was written. */
  cancel(id: RequestId): void;
  /** Gives up a request. The server is told, unless it has answered or the request was never written. */
  giveUp(request: DirectRequest): void;
}

export interface DirectRequestsOptions {
  readonly transport: Transport | QueueingTransport;
  /** The transport's own `send`, before the wire watch replaced it. */
  readonly send: Transport["send"];
  /** The `_meta` about the sender in every message of the modern era. */
  readonly envelope: JsonObject | undefined;
}

/** Sends on a connected transport. The wire watch passes on answers and progress. */
export function createDirectRequests({ transport, send, envelope }: DirectRequestsOptions): DirectRequests {
  const unanswered = createIdTable<DirectRequest>();
  const post = isQueueing(transport)
    ? transport.post.bind(transport)
    : (message: JSONRPCMessage, follower: SendFollower) => {
        if (!follower.isWanted()) return;
        follower.onWriting();
        send(message).catch((error) => follower.onFailed(error));
      };
  /** In the modern era, closing a request's own stream cancels it (MCP 2026-07-28, Streamable HTTP, "Cancellation"). */
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
    send(request, { method, params, request: { meta = params._meta as JsonObject | undefined } }) {
      unanswered.add(request);
      const { id } = request;
      const sent = envelope || meta ? { ...envelope, ...meta, progressToken: id } : { progressToken: id };
      post({ jsonrpc: "2.0", id, method, params: { ...params, _meta: sent } }, request);
    },
    unanswered,
    cancel,
    giveUp(request) {
      if (unanswered.find(request.id) !== request) return;
      unanswered.take(request.id);
      if (endsByStream || request.isWritten) cancel(request.id);
      else if (isQueueing(transport)) {
        transport.abandon?.(request.id);
        transport.noticeUnwanted?.();
      }
    },
  };
}
