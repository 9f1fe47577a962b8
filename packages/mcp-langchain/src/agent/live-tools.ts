import type { ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import {
  checkProfile,
  checkSelection,
  createModelTool,
  type ModelTool,
  selectTools,
} from "@jackfield/mcp-tools";
import type { StructuredTool } from "@langchain/core/tools";
import type { LangchainToolsOptions } from "../langchain-tools.ts";
import { createLangchainTool } from "../mcp-tool.ts";

/** The tools of a source as they are whenever one looks. */
export interface LiveTools {
  /** What is offered now. A tool that did not change stays the same object. */
  offered(): readonly StructuredTool[];
  /** A tool that is, or once was, on offer. One that went away is still found, so that a call of it is answered by the source. */
  find(name: string): ModelTool | undefined;
}

/** A tool, and what LangChain is offered of it. */
interface Adapted {
  readonly tool: ModelTool;
  readonly made: StructuredTool;
}

/**
 * Follows a source. Nothing is listened to: the source's list is the same object while nothing changed.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for options that cannot be: not with the first tool, which may come in the middle of a request
 */
export function createLiveTools(source: ToolSource, options: LangchainToolsOptions = {}): LiveTools {
  const { schemaProfile, onError } = options;
  checkProfile(schemaProfile);
  checkSelection(options);
  const known = new Map<string, ModelTool>();
  const adapted = new WeakMap<ToolDescriptor, Adapted>();
  let seen: readonly ToolDescriptor[] | undefined;
  let tools: readonly StructuredTool[] = [];
  const adapt = (descriptor: ToolDescriptor): StructuredTool => {
    const { tool, made } = adapted.get(descriptor) ?? make(descriptor);
    // Also for one that was there before: another of its name may have been on offer since.
    known.set(descriptor.name, tool);
    return made;
  };
  const make = (descriptor: ToolDescriptor): Adapted => {
    const tool = createModelTool(source, descriptor, { schemaProfile, onError });
    const both = { tool, made: createLangchainTool(tool) };
    adapted.set(descriptor, both);
    return both;
  };
  const offered = (): readonly StructuredTool[] => {
    const current = source.tools();
    if (current !== seen) tools = selectTools(current, options).map(adapt);
    seen = current;
    return tools;
  };
  return {
    offered,
    find(name) {
      offered();
      return known.get(name);
    },
  };
}
