import { isRecord } from "@jackfield/mcp-core";
import { CLAUDE_MEDIA, type KnownProfile, type MediaSupport } from "@jackfield/mcp-tools";

/** What is known of a chat model's API and of the LangChain package on the way to it. */
export interface ModelTraits {
  /** The media that it takes in a tool's result. */
  readonly media: MediaSupport;
  readonly schemaProfile: KnownProfile;
  /** Whether its package marks all tools as strict if the answer is to have a format, as those built on OpenAI's Chat Completions do. */
  readonly marksStrict?: boolean;
}

/** What every API takes, and every package passes on. */
const UNKNOWN: ModelTraits = { media: {}, schemaProfile: "universal" };

/**
 * What is known, by the kind that a chat model says it is, or the provider that `initChatModel` was told: docs/decisions/0032 has the
 * source of each row. The packages for Google write media into the result's JSON, those for Chat Completions send them on to be refused.
 */
const KNOWN: Readonly<Record<string, ModelTraits>> = {
  anthropic: { media: CLAUDE_MEDIA, schemaProfile: "anthropic" },
  azure_openai: { media: {}, schemaProfile: "openai", marksStrict: true },
  deepseek: { media: {}, schemaProfile: "universal", marksStrict: true },
  "google-genai": { media: {}, schemaProfile: "gemini" },
  "google-vertexai": { media: {}, schemaProfile: "vertex" },
  googlegenerativeai: { media: {}, schemaProfile: "gemini" },
  openai: { media: {}, schemaProfile: "openai", marksStrict: true },
  vertexai: { media: {}, schemaProfile: "vertex" },
  xai: { media: {}, schemaProfile: "xai", marksStrict: true },
};

/** What is known of a chat model, also of one with settings bound to it, or by its name (`anthropic:claude-…`). */
export function traitsOf(model: unknown): ModelTraits {
  if (typeof model === "string") return KNOWN[model.split(":")[0] ?? ""] ?? UNKNOWN;
  if (!isRecord(model)) return UNKNOWN;
  if (isRecord(model.bound)) return traitsOf(model.bound);
  const { _defaultConfig: settings } = model;
  if (isRecord(settings) && typeof settings.modelProvider === "string")
    return KNOWN[settings.modelProvider] ?? UNKNOWN;
  const kind: unknown = typeof model._llmType === "function" ? model._llmType() : undefined;
  const traits = KNOWN[String(kind)] ?? UNKNOWN;
  // The Responses API takes images; LangChain writes other media out as JSON.
  const isResponses = traits.schemaProfile === "openai" && model.useResponsesApi === true;
  return isResponses ? { media: { image: true }, schemaProfile: "openai" } : traits;
}
