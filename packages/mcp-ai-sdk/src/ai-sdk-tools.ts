import type { ToolSource } from "@jackfield/mcp-core";
import type { AiSdkToolSet } from "./ai-sdk-tool.ts";
import { createFollowedTools } from "./followed-tools.ts";
import type { AiSdkToolsOptions } from "./tool-maker.ts";

/**
 * The tools that a source has now, for `generateText`, `streamText` and agents of AI SDK 7 and 6.
 *
 * A snapshot, made without importing the SDK: call it again when the source emits `toolsChanged`, or use `aiSdkLiveTools`. A tool
 * that was removed or changed since answers with an error that the model can read.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown approval policy or schema profile, and for a selection that is not a list of
 * names. The options are checked even if there are no tools yet.
 */
export function aiSdkTools(source: ToolSource, options?: AiSdkToolsOptions): AiSdkToolSet {
  return createFollowedTools(source, options).tools;
}
