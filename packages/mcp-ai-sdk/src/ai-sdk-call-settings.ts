import type { ToolSource } from "@jackfield/mcp-core";
import { type AiSdkToolSet, type AiSdkToolsOptions, aiSdkTools } from "./ai-sdk-tools.ts";

/** Whether a call waits for a person, in the words of the AI SDK 7. */
export type AiSdkApprovalStatus = "user-approval" | "not-applicable";

/** What `generateText`, `streamText` and agents of the AI SDK 7 take about tools; to be spread into their settings. */
export interface AiSdkCallSettings {
  readonly tools: AiSdkToolSet;
  /** All tools by name, so that the request's bytes, and with them the provider's prompt cache, do not depend on anything else. */
  readonly toolOrder: string[];
  /** The tools whose calls a person is asked about; others are missing. */
  readonly toolApproval: Record<
    string,
    AiSdkApprovalStatus | ((input: unknown) => Promise<AiSdkApprovalStatus>)
  >;
}

/**
 * The tools of a source with their order and their approvals, for the AI SDK 7, where both belong to the call and not to a tool.
 * Each tool says the same of its approval (`needsApproval`), so that a person is asked too where only the tools are handed on, or
 * where the SDK is 6; 7 goes by `toolApproval` and asks once.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an approval policy or a schema profile that does not exist, and for a selection that is no
 * list of names; also where there is no tool yet.
 */
export function aiSdkCallSettings(source: ToolSource, options?: AiSdkToolsOptions): AiSdkCallSettings {
  const tools = aiSdkTools(source, { sdk: 7, ...options });
  const toolApproval: AiSdkCallSettings["toolApproval"] = Object.create(null);
  for (const [name, { needsApproval }] of Object.entries(tools))
    if (needsApproval !== undefined) toolApproval[name] = statusOf(needsApproval);
  return { tools, toolOrder: Object.keys(tools), toolApproval };
}

function statusOf(
  needed: boolean | ((input: unknown) => Promise<boolean>),
): AiSdkCallSettings["toolApproval"][string] {
  const status = (isNeeded: boolean): AiSdkApprovalStatus => (isNeeded ? "user-approval" : "not-applicable");
  return typeof needed === "function" ? async (input) => status(await needed(input)) : status(needed);
}
