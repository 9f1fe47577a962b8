import type { HostHandlers } from "./host-handlers.ts";
import type { InputOptions } from "./input-required.ts";
import type { McpError } from "./mcp-error.ts";
import type { ToolDefinition } from "./tool.ts";
import type { JsonObject } from "./values.ts";

/** The progress of a request. `progress` increases; the server chooses its unit. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Options of one request to a server. */
export interface RequestOptions {
  /** Rejects the request at once with `MCP_ABORTED` and notifies the server. */
  readonly signal?: AbortSignal | undefined;
  /** Longest time without a response or increasing progress, in milliseconds; `0` = no limit. Default: the server's `callTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Longest total time, in milliseconds; `0` = no limit. Default: the server's `maxTotalMs`. */
  readonly maxTotalMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Sent as the request's `_meta`. */
  readonly meta?: JsonObject | undefined;
  /** Handlers for what the server asks for this request, and for no other; they take precedence over the runtime's own. */
  readonly handlers?: HostHandlers | undefined;
}

/** Options of a request made through a session. */
export interface SessionRequestOptions extends RequestOptions, InputOptions {
  /** The tool's definition, for parameters that the protocol mirrors into headers (SEP-2243). */
  readonly tool?: ToolDefinition | undefined;
  /** The user who makes the request, on a session that serves several. Default: the user for whom the session was opened. */
  readonly principal?: string | undefined;
  /**
   * Asked just before each write of the request, also if it is repeated after a challenge or on a renewed session. An error that it
   * returns refuses the write, and the request rejects with it. Must not throw.
   */
  readonly refusal?: (() => McpError | undefined) | undefined;
}

/** Options of a tool call. */
export interface CallOptions extends RequestOptions, InputOptions {
  /** Who reads the result. Adapters pass `model`; results for models may be marked and cut. Default `program`. */
  readonly audience?: "model" | "program" | undefined;
  /**
   * The call was approved already, through the framework, so the runtime does not ask again: the digest (`toolDigest`) of the tool that
   * was shown. If the tool is another one by now, the call is refused with `MCP_TOOL_CHANGED`.
   */
  readonly approved?: string | undefined;
  /**
   * Whether a call with an unknown outcome may be repeated: `never`; `trusted`, only if the server's annotations say that this is
   * harmless and its limits trust them; or a number, at most that many times whatever the tool does. Default `trusted`, which
   * without `trustAnnotations` means never.
   */
  readonly replay?: "never" | "trusted" | number | undefined;
  /**
   * What becomes of an answer that does not follow the tool's `outputSchema`: `refuse` throws `MCP_PROTOCOL_VIOLATED`; `warn` logs it
   * and gives the answer as it is, since the tool has run. Default `warn` for a model, `refuse` for a program.
   */
  readonly output?: "refuse" | "warn" | undefined;
}
