import type { ToolSource } from "@jackfield/mcp-core";
import {
  type AiSdkQuestionOptions,
  type AiSdkToolSet,
  type AiSdkToolsOptions,
  aiSdkTools,
} from "./ai-sdk-tools.ts";

/** Whether a call needs a person's approval, as AI SDK 7 names it. */
export type AiSdkApprovalStatus = "user-approval" | "not-applicable";

/** The settings about tools for `generateText`, `streamText` and agents of AI SDK 7; spread them into the call's settings. */
export interface AiSdkCallSettings {
  readonly tools: AiSdkToolSet;
  /** All tool names in a stable order, so that the request's bytes, and with them the provider's prompt cache, depend on nothing else. */
  readonly toolOrder: string[];
  /** The tools whose calls may need a person's approval; others are missing. */
  readonly toolApproval: Record<
    string,
    (input: unknown, call: AiSdkQuestionOptions) => Promise<AiSdkApprovalStatus>
  >;
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
  const tools = aiSdkTools(source, { sdk: 7, ...options });
  const toolApproval: AiSdkCallSettings["toolApproval"] = Object.create(null);
  for (const [name, { needsApproval }] of Object.entries(tools))
    if (needsApproval !== undefined)
      toolApproval[name] = async (input, call) =>
        (await needsApproval(input, call)) ? "user-approval" : "not-applicable";
  return { tools, toolOrder: Object.keys(tools), toolApproval };
}
