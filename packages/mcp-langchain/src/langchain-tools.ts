import {
  checkOptions,
  type OptionKind,
  optionChoice,
  optionKinds,
  type ToolSource,
} from "@jackfield/mcp-core";
import {
  checkMedia,
  checkProfile,
  checkSelection,
  createModelTool,
  type KnownProfile,
  type MediaSupport,
  type ModelToolOptions,
  selectTools,
  type ToolSelection,
} from "@jackfield/mcp-tools";
import type { StructuredTool } from "@langchain/core/tools";
import { traitsOf } from "./chat-models.ts";
import { createLangchainTool } from "./mcp-tool.ts";
import type { ArtifactKind, MessageOptions } from "./tool-message.ts";

/**
 * Which tools are offered (`include`, `exclude`, by exposed or original name, with `*` for any characters), what their schemas are
 * fitted for (`schemaProfile`), and what is called when a call fails (`onError`).
 */
export interface LangchainToolsOptions extends ToolSelection, ModelToolOptions {
  /**
   * The chat model that will read the results, or its name (`anthropic:claude-sonnet-4-5`): it decides what `media: "auto"` and
   * `schemaProfile: "auto"` mean. Default: unknown; `mcpMiddleware` learns it from each request.
   */
  readonly model?: unknown;
  /**
   * Which media the model takes in a tool's result. Default `auto`: what the API of `model` is known to take, and none if it is not known.
   * Everything else is named in a line, and stays in the artifact.
   */
  readonly media?: MediaSupport | "auto" | undefined;
  /**
   * What the `artifact` of a message keeps. `data` (default): the structured content, and what the message does not say, so that a checkpoint does
   * not hold long texts and images twice. `rest`: of the structured content as well only what the message does not say. `full`: the whole result.
   */
  readonly artifact?: ArtifactKind | undefined;
  /**
   * Whether a failed call throws, so that traces and callbacks count it as failed. Default `false`: it is a `ToolMessage` with status `error`.
   * Under `mcpMiddleware` the model reads the same, and the run goes on; elsewhere the agent's own handling of errors decides.
   */
  readonly throwErrors?: boolean | undefined;
}

const { any, callable, flag } = optionKinds;
/** The options by name; `any` is checked where it is used. */
export const TOOLS_OPTIONS: Record<keyof LangchainToolsOptions, OptionKind> = {
  include: any,
  exclude: any,
  model: any,
  media: any,
  schemaProfile: any,
  artifact: optionChoice("data", "rest", "full"),
  throwErrors: flag,
  onError: callable,
};

/**
 * The tools that a source has now, for `createAgent`, `ToolNode` and `bindTools` of LangChain 1.
 *
 * A snapshot: call it again when the source emits `toolsChanged`, or use `mcpMiddleware`, which can also ask a person to approve calls.
 * A tool that was removed since answers with an error that the model can read. A tool's `invoke` rejects only with `MCP_ABORTED`, if the caller aborted the call; every
 * other failure is a `ToolMessage` with status `error`, unless `throwErrors` is set.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown option or schema profile, and for a selection that is not a list of names. The options
 * are checked even if there are no tools.
 */
export function langchainTools(source: ToolSource, options: LangchainToolsOptions = {}): StructuredTool[] {
  checkOptions(options, TOOLS_OPTIONS);
  const { onError, model } = options;
  const schemaProfile = profileFor(options, model);
  const message = messageOptions(options, model);
  return selectTools(source.tools(), options).map((tool) =>
    createLangchainTool(createModelTool(source, tool, { schemaProfile, onError }), message),
  );
}

/** Rejects values that say nothing. @throws McpError `MCP_CONFIG_INVALID` */
export function checkValues(options: LangchainToolsOptions): void {
  checkProfile(options.schemaProfile);
  checkMedia(options.media);
  checkSelection(options);
}

/**
 * What schemas are fitted for.
 *
 * @param isAnswerFormatted - whether the agent has a `responseFormat`, for which LangChain marks all tools as strict where a model takes Chat
 * Completions; then they are strict, whatever else was asked for. Default: unknown, so that tools for OpenAI are strict to be safe
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function profileFor(
  options: LangchainToolsOptions,
  model: unknown,
  isAnswerFormatted?: boolean,
): KnownProfile {
  checkValues(options);
  const { schemaProfile = "auto" } = options;
  const { schemaProfile: known, marksStrict = model === undefined } = traitsOf(model);
  const profile = schemaProfile === "auto" ? known : schemaProfile;
  const isStrict = isAnswerFormatted ?? profile === "openai";
  return isStrict && marksStrict ? "strict" : profile;
}

function messageOptions(
  { media = "auto", artifact = "data", throwErrors = false }: LangchainToolsOptions,
  model: unknown,
): MessageOptions {
  return { media: media === "auto" ? traitsOf(model).media : media, artifact, throwErrors };
}
