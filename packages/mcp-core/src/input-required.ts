import type { ToolCallResult } from "./content.ts";
import type { JsonObject } from "./values.ts";

/** A question that a server needs answered before it continues: an MCP request, for example `elicitation/create`. */
export interface InputRequest {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/**
 * A result that asks for input (MCP 2026-07-28, "Multi Round-Trip Requests"). The server has done nothing and keeps no state: it
 * expects the same request again, with the answers and the `requestState`.
 */
export type InputRequiredResult = ToolCallResult & {
  resultType: "input_required";
  /** Keyed by the server. Empty: the server only wants the request again. */
  inputRequests: { [key: string]: InputRequest };
  /** Opaque to the client: send it back unchanged. */
  requestState?: string | undefined;
};

/** How the server's questions about a request are answered. */
export interface InputOptions {
  /**
   * `handlers` (default): the host's handlers answer the questions within the request. `return`: the caller gets them as an
   * `InputRequiredResult`, if the server speaks protocol 2026-07-28. Such a request announces that the host can be asked, with or
   * without handlers.
   */
  readonly inputRequired?: "handlers" | "return" | undefined;
  /** The answers to the returned questions, by key, in the form in which a handler answers. */
  readonly inputResponses?: { readonly [key: string]: JsonObject } | undefined;
  /** The `requestState` that was returned. */
  readonly requestState?: string | undefined;
}

/** Whether a result asks for input. Only a call with `inputRequired: "return"` gets such a result. */
export function isInputRequired(result: ToolCallResult): result is InputRequiredResult {
  return (result as { readonly resultType?: unknown }).resultType === "input_required";
}
