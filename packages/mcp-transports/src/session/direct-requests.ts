import type { JsonObject, Progress } from "@jackfield/mcp-core";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isQueueing, type QueueingTransport, type SendFollower } from "../queueing-transport.ts";
import { createIdTable } from "./id-table.ts";

/** An answer to a request, good or bad. */
export type RpcAnswer = Exclude<JSONRPCMessage, { method: string }>;

/** A request that is made beside the SDK's client. It hears of everything that becomes of it. */
export interface DirectRequest extends SendFollower {
  /** Given when it is sent. */
  id: number;
  onProgress(progress: Progress): void;
  onAnswer(answer: RpcAnswer): void;
}

/** Requests with ids of our own, on a transport that the SDK's client uses as well. */
export interface DirectRequests {
  /** Sends a request, with its id as the progress token. The request hears of what goes wrong. */
  send(request: DirectRequest, method: string, params: JsonObject): void;
  find(id: number): DirectRequest | undefined;
  /** What still comes for it belongs to nobody. Says whether it was waited for until now. */
  remove(request: DirectRequest): boolean;
  /** Tells the server that nobody waits for an answer any longer. */
  cancel(request: DirectRequest): void;
}

/** `send` is the transport's own. */
export function createDirectRequests(
  transport: Transport | QueueingTransport,
  send: Transport["send"],
): DirectRequests {
  const unanswered = createIdTable<DirectRequest>();
  const post = isQueueing(transport)
    ? transport.post.bind(transport)
    : (message: JSONRPCMessage, follower: SendFollower) => {
        follower.onWriting();
        send(message).catch((error) => follower.onFailed(error));
      };
  return {
    send(request, method, params) {
      unanswered.add(request);
      const { id } = request;
      const meta = { ...(params._meta as JsonObject | undefined), progressToken: id };
      post({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } }, request);
    },
    find: (id) => unanswered.find(id),
    remove: (request) => unanswered.remove(request),
    cancel({ id }) {
      const params = { requestId: id, reason: "the caller no longer waits" };
      send({ jsonrpc: "2.0", method: "notifications/cancelled", params }).catch(() => {});
    },
  };
}
