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

/** The current tools of a source. */
export interface LiveTools {
  /** The tools offered now. A tool that did not change stays the same object. */
  offered(): readonly StructuredTool[];
  /** A tool that is or was offered. A removed tool is still found, so that the source answers calls of it. */
  find(name: string): ModelTool | undefined;
}

/** A tool, and the LangChain tool made from it. */
interface Adapted {
  readonly tool: ModelTool;
  readonly made: StructuredTool;
}

/**
 * Follows a source without listening to it: the source's list stays the same object until something changes.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for invalid options; checked now, because the first tool may come in the middle of a
 * request
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
    // Set for a known descriptor as well: another tool of its name may have been offered since.
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
