import type { JsonObject } from "./values.ts";

/** The call that a server's question belongs to. */
export interface ServerRequestCall {
  /** The request that was made, for example `tools/call` or `prompts/get`. */
  readonly method: string;
  /** The tool's own name at the server; set for `tools/call`. */
  readonly tool?: string | undefined;
  /** The `meta` that the caller gave with the call. */
  readonly meta?: JsonObject | undefined;
  /** The user who made the call; missing for the owner of the runtime. */
  readonly principal?: string | undefined;
}

/** Who asks, and for whom. */
export interface ServerRequestContext {
  readonly server: string;
  /** Aborts when the answer is no longer wanted: the server withdrew the question, or what it belongs to has ended. */
  readonly signal: AbortSignal;
  /** The user for whom the server asks; missing for the owner of the runtime, and if the question belongs to no user. */
  readonly principal?: string | undefined;
  /** The call that the question belongs to; missing if it belongs to none, or to one of several calls of the same user. */
  readonly call?: ServerRequestCall | undefined;
}

/** A server asks the person something (MCP `elicitation/create`). */
export interface ElicitationRequest {
  readonly message: string;
  /** `form`: the fields of `requestedSchema`. `url`: the person is to open `url` in a browser, see there. */
  readonly mode: "form" | "url";
  readonly requestedSchema?: JsonObject | undefined;
  /** Https, or http on this machine, without a user name, and as the URL standard writes it: with the host in ASCII. */
  readonly url?: string | undefined;
}

/** What the person did, and with `accept` what they filled in. */
export type ElicitationAnswer = {
  action: "accept" | "decline" | "cancel";
  content?: { [field: string]: string | number | boolean | string[] } | undefined;
};

/** A folder or file the server may work on (MCP `Root`); `uri` is a `file:` URL. */
export type Root = { uri: string; name?: string | undefined };

/**
 * The host's handlers for requests from servers. A capability is announced only if its handler is given. A question that may belong to
 * calls of different users or with different handlers reaches no handler: it is declined.
 */
export interface HostHandlers {
  readonly elicit?:
    | ((request: ElicitationRequest, context: ServerRequestContext) => Promise<ElicitationAnswer>)
    | undefined;
  /** `params` and the answer are MCP `CreateMessageRequest` params and `CreateMessageResult`. Deprecated by SEP-2577. */
  readonly sample?: ((params: JsonObject, context: ServerRequestContext) => Promise<JsonObject>) | undefined;
  /** Deprecated by SEP-2577. */
  readonly roots?: ((context: ServerRequestContext) => Promise<readonly Root[]>) | undefined;
}
