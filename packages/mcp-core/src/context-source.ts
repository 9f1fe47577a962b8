import type { RequestOptions } from "./call-options.ts";
import type { ContentAnnotations, ContentBlock, ResourceContents } from "./content.ts";
import type { SourceEvents, ToolSource } from "./tool-source.ts";
import type { JsonObject } from "./values.ts";

/** A resource as its server lists it (MCP `Resource`). */
export type ResourceDefinition = {
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** Bytes, before encoding. */
  size?: number | undefined;
  annotations?: ContentAnnotations | undefined;
  _meta?: JsonObject | undefined;
};

/** A family of resources, addressed by an RFC 6570 template (MCP `ResourceTemplate`). */
export type ResourceTemplateDefinition = {
  uriTemplate: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  annotations?: ContentAnnotations | undefined;
  _meta?: JsonObject | undefined;
};

/** The result of `resources/read`. */
export type ReadResourceResult = { contents: ResourceContents[]; _meta?: JsonObject | undefined };

/** An argument of a prompt (MCP `PromptArgument`). Values are always strings. */
export type PromptArgument = {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  required?: boolean | undefined;
};

/** A prompt as its server lists it (MCP `Prompt`). */
export type PromptDefinition = {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  arguments?: PromptArgument[] | undefined;
  _meta?: JsonObject | undefined;
};

/** One message of a prompt. */
export type PromptMessage = { role: "user" | "assistant"; content: ContentBlock };

/** The result of `prompts/get`. */
export type GetPromptResult = {
  description?: string | undefined;
  messages: PromptMessage[];
  _meta?: JsonObject | undefined;
};

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

/** An item of a server's catalog together with the server's name. */
export type Owned<T> = T & { readonly server: string };

/** A subscription to changes of a resource. */
export interface ResourceSubscription extends AsyncDisposable {
  readonly server: string;
  readonly uri: string;
  /** Ends it. Idempotent; does not reject. */
  close(): Promise<void>;
}

/** A tool source that also offers resources, resource templates, prompts and completion. */
export interface ContextSource<Events extends SourceEvents = SourceEvents> extends ToolSource<Events> {
  /**
   * The resources of one server, or of all servers that are ready or whose lists are cached; of all, those that fail are left out.
   * The same holds for templates and prompts.
   *
   * @throws McpError if a server was named and nothing is known of it, or its list failed.
   */
  resources(server?: string): Promise<readonly Owned<ResourceDefinition>[]>;
  resourceTemplates(server?: string): Promise<readonly Owned<ResourceTemplateDefinition>[]>;
  readResource(server: string, uri: string, options?: RequestOptions): Promise<ReadResourceResult>;
  /**
   * Calls the listener whenever the resource has changed, until the subscription is closed; it survives reconnects. The
   * subscription ends by itself when the server no longer lists the resource.
   *
   * @throws McpError `MCP_REQUEST_REJECTED` if the server takes no subscriptions, or refuses this one.
   */
  subscribe(
    server: string,
    uri: string,
    listener: () => void,
    options?: Pick<RequestOptions, "signal" | "timeoutMs">,
  ): Promise<ResourceSubscription>;
  prompts(server?: string): Promise<readonly Owned<PromptDefinition>[]>;
  getPrompt(
    server: string,
    name: string,
    args?: { [name: string]: string },
    options?: RequestOptions,
  ): Promise<GetPromptResult>;
  complete(server: string, request: CompletionRequest, options?: RequestOptions): Promise<CompletionResult>;
}
