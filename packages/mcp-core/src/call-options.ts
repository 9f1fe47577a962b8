import type { HostHandlers } from "./host-handlers.ts";
import type { InputOptions } from "./input-required.ts";
import type { JsonObject } from "./json.ts";
import type { ToolDefinition } from "./tool.ts";

/** How far a request has come. `progress` increases; what it counts is the server's business. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Options of one request to a server. */
export interface RequestOptions {
  /** Settles the request locally at once with `MCP_ABORTED` and tells the server. */
  readonly signal?: AbortSignal | undefined;
  /** Without an answer or increasing progress, in milliseconds; `0` = none. Default: the server's `callTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** In all, in milliseconds; `0` = none. Default: the server's `maxTotalMs`. */
  readonly maxTotalMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Sent as the request's `_meta`. */
  readonly meta?: JsonObject | undefined;
  /** Answers what the server asks while it works on this request; beats the runtime's own handlers. */
  readonly handlers?: HostHandlers | undefined;
}

/** Options of a request as a session takes it. */
export interface SessionRequestOptions extends RequestOptions, InputOptions {
  /** The definition the caller holds, for parameters that the protocol mirrors into headers (SEP-2243). */
  readonly tool?: ToolDefinition | undefined;
}

/** Options of a tool call. */
export interface CallOptions extends RequestOptions, InputOptions {
  /** Who reads the result. Adapters pass `model`; results for models may be marked and cut. Default `program`. */
  readonly audience?: "model" | "program" | undefined;
  /** The framework has asked already; the runtime does not ask again. */
  readonly approved?: boolean | undefined;
  /**
   * Whether a call whose outcome is unknown may be repeated: `never`, `trusted` (only where the server's annotations say
   * that this is harmless, and its limits trust them), or at most so many times whatever the tool does. Default `trusted`,
   * which without `trustAnnotations` means never.
   */
  readonly replay?: "never" | "trusted" | number | undefined;
}
