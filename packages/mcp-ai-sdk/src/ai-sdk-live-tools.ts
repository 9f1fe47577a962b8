import type { ToolSource } from "@jackfield/mcp-core";
import type { AiSdkToolSet } from "./ai-sdk-tool.ts";
import { type AiSdkStep, createFollowedTools } from "./followed-tools.ts";
import type { AiSdkToolsOptions } from "./tool-maker.ts";

/** A tool set that follows its source from step to step. */
export interface AiSdkLiveTools {
  /**
   * Pass this object itself to the SDK as `tools`: a copy would not be updated. You may add tools of your own under names that the
   * source does not use.
   */
  readonly tools: AiSdkToolSet;
  /**
   * Updates the set. Pass it to the SDK as `prepareStep`, or call it from your own with what the SDK gave you, which names the model and, if
   * tools are searched for, has the messages in which some were found.
   */
  prepareStep(step?: AiSdkStep): undefined;
}

/**
 * The tools of a source as they are at each step, for long loops: new and changed tools are available from the next step on. AI SDK
 * 6 and 7 read the set again for each step. A tool that did not change stays the same object. A removed tool is no longer listed
 * but still found by name, so that the source answers calls of it. If tools are searched for, make a set for each conversation.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown approval policy or schema profile, and for a selection that is not a list of
 * names. The options are checked even if there are no tools yet.
 */
export function aiSdkLiveTools(source: ToolSource, options?: AiSdkToolsOptions): AiSdkLiveTools {
  const followed = createFollowedTools(source, options);
  return {
    tools: followed.tools,
    prepareStep(step) {
      followed.update(step);
      return undefined;
    },
  };
}
