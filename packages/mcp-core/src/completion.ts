import type { JsonObject } from "./json.ts";

/** What is being filled in: an argument of a prompt or a variable of a resource template (MCP `completion/complete`). */
export type CompletionRequest = {
  ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
  argument: { name: string; value: string };
  context?: { arguments?: { [name: string]: string } | undefined } | undefined;
};

/** Suggestions, at most 100 of them; `total` may say how many there are. */
export type CompletionResult = {
  completion: { values: string[]; total?: number | undefined; hasMore?: boolean | undefined };
  _meta?: JsonObject | undefined;
};
