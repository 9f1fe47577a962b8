import type { JsonObject } from "@jackfield/mcp-core";

/** The id that links an answer to its request. */
export type RpcId = string | number;

/** The error of a JSON-RPC answer. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A JSON-RPC 2.0 message of any kind, as it is on the wire. */
export interface RpcMessage {
  readonly jsonrpc: "2.0";
  readonly id?: RpcId | undefined;
  readonly method?: string | undefined;
  readonly params?: JsonObject | undefined;
  readonly result?: JsonObject | undefined;
  readonly error?: RpcError | undefined;
}

/** Whether a message is the answer to a request. */
export function isAnswer(message: RpcMessage): boolean {
  return message.method === undefined;
}
