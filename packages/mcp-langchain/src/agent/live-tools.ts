import type { ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import { createModelTool, type KnownProfile, type ModelTool, selectTools } from "@jackfield/mcp-tools";
import type { StructuredTool } from "@langchain/core/tools";
import { checkValues, type LangchainToolsOptions, profileFor } from "../langchain-tools.ts";
import { createLangchainTool } from "../mcp-tool.ts";
import type { MessageOptions } from "../tool-message.ts";

/** The current tools of a source. */
export interface LiveTools {
  /** The tools offered now, for a model, and for an answer in a format. A tool that did not change stays the same object. */
  offered(model?: unknown, isAnswerFormatted?: boolean): readonly StructuredTool[];
  /**
   * A tool that is or was offered: in the form in which its schema fits the arguments, if models of several APIs were offered it. A removed
   * tool is still found, so that the source answers calls of it.
   */
  find(name: string, args?: unknown): ModelTool | undefined;
  /** How results are written: media are shown when a request is made, to its model. */
  readonly message: MessageOptions;
}

/** A tool, and the LangChain tool made from it. */
interface Adapted {
  readonly tool: ModelTool;
  readonly made: StructuredTool;
}

/** The tools for one kind of API. */
interface Offer {
  readonly adapted: WeakMap<ToolDescriptor, Adapted>;
  seen?: readonly ToolDescriptor[];
  tools: readonly StructuredTool[];
}

/**
 * Follows a source without listening to it: the source's list stays the same object until something changes.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for invalid options; checked now, because the first tool may come in the middle of a
 * request
 */
export function createLiveTools(source: ToolSource, options: LangchainToolsOptions = {}): LiveTools {
  checkValues(options);
  const { onError, artifact = "data", throwErrors = false } = options;
  const message: MessageOptions = { media: {}, artifact, throwErrors };
  const known = new Map<string, Map<KnownProfile, ModelTool>>();
  const offers = new Map<KnownProfile, Offer>();
  const adapt = (
    descriptor: ToolDescriptor,
    schemaProfile: KnownProfile,
    { adapted }: Offer,
  ): StructuredTool => {
    const { tool, made } = adapted.get(descriptor) ?? make(descriptor, schemaProfile, adapted);
    // Set for a known descriptor as well: another tool of its name may have been offered since.
    const forms = known.get(descriptor.name) ?? new Map<KnownProfile, ModelTool>();
    known.set(descriptor.name, forms.set(schemaProfile, tool));
    return made;
  };
  const make = (
    descriptor: ToolDescriptor,
    schemaProfile: KnownProfile,
    adapted: Offer["adapted"],
  ): Adapted => {
    const tool = createModelTool(source, descriptor, { schemaProfile, onError });
    const both = { tool, made: createLangchainTool(tool, message) };
    adapted.set(descriptor, both);
    return both;
  };
  const offeredFor = (profile: KnownProfile): readonly StructuredTool[] => {
    const offer = offers.get(profile) ?? { adapted: new WeakMap(), tools: [] };
    offers.set(profile, offer);
    const current = source.tools();
    if (current !== offer.seen)
      offer.tools = selectTools(current, options).map((tool) => adapt(tool, profile, offer));
    offer.seen = current;
    return offer.tools;
  };
  return {
    offered: (model, isAnswerFormatted) =>
      offeredFor(profileFor(options, options.model ?? model, isAnswerFormatted)),
    find(name, args) {
      if (offers.size === 0) offeredFor(profileFor(options, options.model));
      for (const profile of offers.keys()) offeredFor(profile);
      const forms = [...(known.get(name)?.values() ?? [])];
      return forms.length < 2 ? forms[0] : (forms.find((tool) => tool.check(args) === undefined) ?? forms[0]);
    },
    message,
  };
}
