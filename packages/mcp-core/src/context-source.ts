import type { RequestOptions } from "./call-options.ts";
import type { CompletionRequest, CompletionResult } from "./completion.ts";
import type { GetPromptResult, PromptDefinition } from "./prompt.ts";
import type { ReadResourceResult, ResourceDefinition, ResourceTemplateDefinition } from "./resource.ts";
import type { SourceEvents, ToolSource } from "./tool-source.ts";

/** An item of a server's catalog together with the server's name. */
export type Owned<T> = T & { readonly server: string };

/** A tool source that also offers what else servers have: resources, templates, prompts, completion. */
export interface ContextSource<Events extends SourceEvents = SourceEvents> extends ToolSource<Events> {
  /** Of one server, or of all that are ready. */
  resources(server?: string): Promise<readonly Owned<ResourceDefinition>[]>;
  resourceTemplates(server?: string): Promise<readonly Owned<ResourceTemplateDefinition>[]>;
  readResource(server: string, uri: string, options?: RequestOptions): Promise<ReadResourceResult>;
  prompts(server?: string): Promise<readonly Owned<PromptDefinition>[]>;
  getPrompt(
    server: string,
    name: string,
    args?: { [name: string]: string },
    options?: RequestOptions,
  ): Promise<GetPromptResult>;
  complete(server: string, request: CompletionRequest, options?: RequestOptions): Promise<CompletionResult>;
}
