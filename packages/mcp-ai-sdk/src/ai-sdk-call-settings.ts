import { isRecord, type ToolSource } from "@jackfield/mcp-core";
import { meantTool } from "@jackfield/mcp-tools";
import type { AiSdkQuestionOptions, AiSdkToolSet } from "./ai-sdk-tool.ts";
import { createFollowedTools } from "./followed-tools.ts";
import type { AiSdkToolsOptions } from "./tool-maker.ts";

/** Whether a call needs a person's approval, as AI SDK 7 names it. */
export type AiSdkApprovalStatus = "user-approval" | "not-applicable";

/** The settings about tools for `generateText`, `streamText` and agents of AI SDK 7; spread them into the call's settings. */
export interface AiSdkCallSettings {
  readonly tools: AiSdkToolSet;
  /**
   * The names of the tools on offer in a stable order, so that the request's bytes, and with them the provider's prompt cache, depend on nothing
   * else. It grows at its end when tools are found.
   */
  readonly toolOrder: string[];
  /** The tools whose calls may need a person's approval; others are missing. */
  readonly toolApproval: Record<
    string,
    (input: unknown, call: AiSdkQuestionOptions) => Promise<AiSdkApprovalStatus>
  >;
  /**
   * Corrects a name without its prefix, in another case or with other separators, where only one tool can be meant. Other calls that the SDK
   * cannot make stay as they are; to repair their arguments as well, call it from your own.
   */
  readonly repairToolCall: <Call extends { readonly toolName: string }>(failed: {
    readonly toolCall: Call;
    readonly error: unknown;
  }) => Promise<Call | null>;
}

/**
 * The tools of a source with their order and approvals, for AI SDK 7, where both are settings of the call and not of a tool. Each
 * tool also states its approval as `needsApproval`, so that a person is asked even if only the tools are passed on, or if the SDK
 * is 6. SDK 7 prefers `toolApproval` and asks once.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown approval policy or schema profile, and for a selection that is not a list of
 * names. The options are checked even if there are no tools yet.
 */
export function aiSdkCallSettings(source: ToolSource, options?: AiSdkToolsOptions): AiSdkCallSettings {
  const { tools, order } = createFollowedTools(source, { sdk: 7, ...options });
  const toolNames = new Set(Object.keys(tools));
  const toolApproval: AiSdkCallSettings["toolApproval"] = Object.create(null);
  for (const [name, { needsApproval }] of Object.entries(tools))
    if (needsApproval !== undefined)
      toolApproval[name] = async (input, call) =>
        (await needsApproval(input, call)) ? "user-approval" : "not-applicable";
  return {
    tools,
    toolOrder: order,
    toolApproval,
    async repairToolCall({ toolCall, error }) {
      if (!isRecord(error) || error.name !== "AI_NoSuchToolError") return null;
      const meant = meantTool(toolCall.toolName, source.tools())?.name;
      return meant !== undefined && toolNames.has(meant) ? { ...toolCall, toolName: meant } : null;
    },
  };
}
