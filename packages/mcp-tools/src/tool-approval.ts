import { type JsonObject, McpError, type ToolDescriptor } from "@jackfield/mcp-core";

/** A call somebody may have to approve. */
export interface CallToApprove {
  readonly tool: ToolDescriptor;
  readonly args: JsonObject;
}

/**
 * Which calls the framework asks a person about, before they are made.
 *
 * `off`: none; the runtime itself asks where it requires approval. `annotations`: all, except those of tools that their server
 * marks as read-only (`readOnlyHint`), which means trusting the server. `always`: all. A function decides for each call; if it
 * throws, the person is asked.
 */
export type ToolApproval =
  | "off"
  | "annotations"
  | "always"
  | ((call: CallToApprove) => boolean | PromiseLike<boolean>);

/** Whether calls of a tool need approval: known beforehand, or decided by the arguments. */
export type ApprovalNeed = boolean | ((args: JsonObject) => Promise<boolean>);

/**
 * Whether calls of a tool need approval. Under `annotations`, tools for which the runtime requires approval need it too.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a policy that does not exist: a misspelt one must not mean that nobody is asked.
 */
export function approvalNeed(approval: ToolApproval | undefined, tool: ToolDescriptor): ApprovalNeed {
  switch (approval) {
    case undefined:
    case "off":
      return false;
    case "always":
      return true;
    case "annotations":
      return tool.requiresApproval || tool.definition.annotations?.readOnlyHint !== true;
  }
  checkApproval(approval);
  return (args) => asked(approval, { tool, args });
}

/**
 * Rejects a policy that does not exist before there is a tool to apply it to.
 *
 * @throws McpError `MCP_CONFIG_INVALID`.
 */
export function checkApproval(approval: ToolApproval | undefined): void {
  if (approval === undefined || typeof approval === "function" || POLICIES.includes(approval)) return;
  const message = `There is no approval policy "${String(approval)}"; use "off", "annotations", "always" or a function.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

const POLICIES: readonly string[] = ["off", "annotations", "always"];

async function asked(
  approval: Extract<ToolApproval, (call: CallToApprove) => unknown>,
  call: CallToApprove,
): Promise<boolean> {
  try {
    return (await approval(call)) !== false;
  } catch {
    return true;
  }
}

/** The error for a call that was approved for a tool which is another one by now. */
export function changedSinceApproval({
  server,
  originalName: tool,
}: Pick<ToolDescriptor, "server" | "originalName">): McpError {
  const message = `Tool "${tool}" of server "${server}" changed after its call was approved, so the call was not sent. Call the tool again, and the person is asked about it as it is now.`;
  return new McpError("MCP_TOOL_CHANGED", message, { server, tool, phase: "call", outcome: "not-sent" });
}
