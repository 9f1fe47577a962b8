import { isRecord } from "@jackfield/mcp-core";
import { CLAUDE_MEDIA, type KnownProfile, type MediaSupport } from "@jackfield/mcp-tools";

/** A model of the AI SDK: an object of a provider, or the name of one of Vercel's gateway. */
export type AiSdkModel = string | { readonly provider: string; readonly modelId: string };

/** What is known of a model's API and of the provider package on the way to it. */
export interface ModelTraits {
  /** The media that it takes in a tool's result. */
  readonly media: MediaSupport;
  readonly schemaProfile: KnownProfile;
  /** Whether a tool says `strict: false`: OpenAI's APIs need the word, other packages warn about it. */
  readonly takesStrict: boolean;
}

/** What every API takes, and every provider package passes on. */
const UNKNOWN: ModelTraits = { media: {}, schemaProfile: "universal", takesStrict: true };
/** An API that is known not to be OpenAI's. */
const OTHER: ModelTraits = { ...UNKNOWN, takesStrict: false };

const CLAUDE: ModelTraits = {
  ...OTHER,
  media: CLAUDE_MEDIA,
  schemaProfile: "anthropic",
};
/** For older models the packages send files beside the results, and none for a result that is a file: the API counts one too few. */
const GEMINI_3 = /(?:^|\/)gemini-(?:[3-9]|\d{2})/;
const GEMINI: ModelTraits = {
  ...OTHER,
  media: { image: ["image/png", "image/jpeg", "image/webp"], document: true },
  schemaProfile: "gemini",
};
const BEDROCK: ModelTraits = { ...OTHER, media: { ...CLAUDE_MEDIA, document: false } };

/**
 * What is known, by the provider's name and the model's: docs/decisions/0032 has the source of each row. Other APIs take text alone, and
 * their packages write files out as base64.
 */
const KNOWN: readonly (readonly [provider: RegExp, model: RegExp, traits: ModelTraits])[] = [
  [
    /^(?:openai|azure(?:-openai)?)\.responses$/,
    /./,
    { ...UNKNOWN, media: { image: true, document: true }, schemaProfile: "openai" },
  ],
  [/^(?:openai|azure(?:-openai)?)\./, /./, { ...UNKNOWN, schemaProfile: "openai" }],
  [/^(?:.+\.)?anthropic(?:\.messages)?$/, /./, CLAUDE],
  [/^google\.generative-ai$/, GEMINI_3, GEMINI],
  [/^google\.generative-ai$/, /./, { ...GEMINI, media: {} }],
  [/^google[.-]?vertex(?:\.chat)?$/i, GEMINI_3, { ...GEMINI, schemaProfile: "vertex" }],
  [/^google[.-]?vertex(?:\.chat)?$/i, /./, { ...GEMINI, media: {}, schemaProfile: "vertex" }],
  [/^amazon-bedrock$/, /anthropic\.claude-(?!v|instant)|amazon\.nova-(?!micro|sonic)/, BEDROCK],
  [/^amazon-bedrock$/, /./, { ...BEDROCK, media: {} }],
  [/^xai\./, /./, { ...OTHER, schemaProfile: "xai" }],
  [/^moonshot/, /./, { ...OTHER, schemaProfile: "kimi" }],
  [/^gateway$/, /^anthropic\//, { ...CLAUDE, schemaProfile: "universal" }],
  [/^gateway$/, /^google\/gemini-[3-9]/, { ...GEMINI, schemaProfile: "vertex" }],
];

/** What is known of a model; of `undefined` and anything else, what holds for all. */
export function traitsOf(model: unknown): ModelTraits {
  const { provider, modelId } =
    typeof model === "string" ? { provider: "gateway", modelId: model } : isRecord(model) ? model : {};
  if (typeof provider !== "string" || typeof modelId !== "string") return UNKNOWN;
  return (
    KNOWN.find(([isProvider, isModel]) => isProvider.test(provider) && isModel.test(modelId))?.[2] ?? UNKNOWN
  );
}
