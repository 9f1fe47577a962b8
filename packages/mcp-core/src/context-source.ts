import type { RequestOptions } from "./call-options.ts";
import type { CompletionRequest, CompletionResult } from "./completion.ts";
import type { GetPromptResult, PromptDefinition } from "./prompt.ts";
import type { ReadResourceResult, ResourceDefinition, ResourceTemplateDefinition } from "./resource.ts";
import type { SourceEvents, ToolSource } from "./tool-source.ts";

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
