import type { ContentBlock } from "./content.ts";
import type { JsonObject } from "./json.ts";

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
