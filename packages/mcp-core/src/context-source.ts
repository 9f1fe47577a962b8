import type { RequestOptions } from "./call-options.ts";
import type { CompletionRequest, CompletionResult } from "./completion.ts";
import type { GetPromptResult, PromptDefinition } from "./prompt.ts";
import type { ReadResourceResult, ResourceDefinition, ResourceTemplateDefinition } from "./resource.ts";
import type { SourceEvents, ToolSource } from "./tool-source.ts";

/** An item of a server's catalog together with the server's name. */
export type Owned<T> = T & { readonly server: string };

/** Somebody wants to be told when a resource changes. */
export interface ResourceSubscription extends AsyncDisposable {
  readonly server: string;
  readonly uri: string;
  /** Ends it. Idempotent; does not reject. */
  close(): Promise<void>;
}

/** A tool source that also offers what else servers have: resources, templates, prompts, completion. */
export interface ContextSource<Events extends SourceEvents = SourceEvents> extends ToolSource<Events> {
  /**
   * Of one server, or of all that are ready or whose lists are remembered; of all, one that fails is left out. The same holds for
   * templates and prompts.
   *
   * @throws McpError if a server was named and nothing is known of it, or its list failed.
   */
  resources(server?: string): Promise<readonly Owned<ResourceDefinition>[]>;
  resourceTemplates(server?: string): Promise<readonly Owned<ResourceTemplateDefinition>[]>;
  readResource(server: string, uri: string, options?: RequestOptions): Promise<ReadResourceResult>;
  /**
   * Calls the listener whenever the resource has changed, until the subscription is closed: also after the server was connected
   * anew. It ends by itself when the server does not list the resource any more.
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
