import type { ToolCallResult } from "./content.ts";
import type { JsonObject } from "./json.ts";

/** What a server wants to know before it goes on: a request of MCP, for example `elicitation/create`. */
export interface InputRequest {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/**
 * An answer that is none yet (MCP 2026-07-28, "Multi Round-Trip Requests"): the server has done nothing and remembers nothing; it
 * wants the same request again, with the answers to its questions and with its state.
 */
export type InputRequiredResult = ToolCallResult & {
  resultType: "input_required";
  /** By keys that the server chose. Empty: it only wants to be asked again. */
  inputRequests: { [key: string]: InputRequest };
  /** To be handed back as it is; nobody but the server can read it. */
  requestState?: string | undefined;
};

/** How a request is made that a server may have questions about. */
export interface InputOptions {
  /**
   * What becomes of the questions: `handlers` (default) has the host's handlers answer them within the request; `return` gives them
   * to the caller as an `InputRequiredResult`, where the server speaks protocol 2026-07-28. Such a request says of the host that
   * it can be asked, whether or not there are handlers.
   */
  readonly inputRequired?: "handlers" | "return" | undefined;
  /** The answers to the questions that were returned, by their keys: what a handler would have answered. */
  readonly inputResponses?: { readonly [key: string]: JsonObject } | undefined;
  /** The state that was returned. */
  readonly requestState?: string | undefined;
}

/** Whether an answer is questions. Only a call with `inputRequired: "return"` gets one. */
export function isInputRequired(result: ToolCallResult): result is InputRequiredResult {
  return (result as { readonly resultType?: unknown }).resultType === "input_required";
}
