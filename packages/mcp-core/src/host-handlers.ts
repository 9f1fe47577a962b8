import type { JsonObject } from "./json.ts";

/** The server that asks, and a signal that aborts when the answer is no longer wanted. */
export interface ServerRequestContext {
  readonly server: string;
  readonly signal: AbortSignal;
}

/** A server asks the person something (MCP `elicitation/create`). */
export interface ElicitationRequest {
  readonly message: string;
  /** `form`: the fields of `requestedSchema`. `url`: the person is to open `url` in a browser; it is https, or http on this machine. */
  readonly mode: "form" | "url";
  readonly requestedSchema?: JsonObject | undefined;
  readonly url?: string | undefined;
}

/** What the person did, and with `accept` what they filled in. */
export type ElicitationAnswer = {
  action: "accept" | "decline" | "cancel";
  content?: { [field: string]: string | number | boolean | string[] } | undefined;
};

/** A folder or file the server may work on (MCP `Root`); `uri` is a `file:` URL. */
export type Root = { uri: string; name?: string | undefined };

/** The host's handlers for requests from servers. A capability is announced only if its handler is given. */
export interface HostHandlers {
  readonly elicit?:
    | ((request: ElicitationRequest, context: ServerRequestContext) => Promise<ElicitationAnswer>)
    | undefined;
  /** `params` and the answer are MCP `CreateMessageRequest` params and `CreateMessageResult`. Deprecated by SEP-2577. */
  readonly sample?: ((params: JsonObject, context: ServerRequestContext) => Promise<JsonObject>) | undefined;
  /** Deprecated by SEP-2577. */
  readonly roots?: ((context: ServerRequestContext) => Promise<readonly Root[]>) | undefined;
}
