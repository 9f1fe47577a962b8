import type { JsonObject } from "./values.ts";

/** A JSON-RPC request that a session is about to send. */
export interface TracedRequest {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  /** The protocol version of the session; missing during its handshake. */
  readonly protocolVersion?: string | undefined;
}

/** How a request ended: with the server's result or error, or, without a usable answer, with ours. */
export type RequestEnding =
  | { readonly result: JsonObject }
  | { readonly rpcError: { readonly code: number; readonly message: string } }
  | { readonly error: unknown };

/** Follows one request. */
export interface RequestTrace {
  /** Merged over the request's `_meta`. Default: nothing. */
  readonly meta?: JsonObject | undefined;
  /** Called once, and has to call `send`: for a trace whose context is that of the code which runs within it. */
  within(send: () => void): void;
  /** Called once, when the request is answered or given up. */
  ended(ending: RequestEnding): void;
}

/**
 * Begins to follow a request: every one that a session sends, those of its handshake and each page of a list among them. It and what it
 * returns must not throw.
 */
export type TraceRequest = (request: TracedRequest) => RequestTrace;
