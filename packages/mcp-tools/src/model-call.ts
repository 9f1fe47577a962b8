import {
  isMcpError,
  type JsonObject,
  McpError,
  type McpErrorReport,
  type TextContent,
  type ToolCallResult,
  type ToolDescriptor,
  type ToolSource,
} from "@jackfield/mcp-core";
import { errorText, unexpectedError } from "./error-text.ts";

/**
 * A call that failed, in the form of a result, so that whatever reads results can read it: `content` is what the model is
 * told, `mcpError` the error itself as data. Plain JSON: it survives being stored or sent to a browser.
 */
export interface FailedCall {
  readonly content: [TextContent];
  readonly isError: true;
  readonly mcpError: McpErrorReport;
}

/** What came of a call made for a model: the server's answer as it came, or the account of a failure. */
export type ModelCallResult = (ToolCallResult & { readonly mcpError?: undefined }) | FailedCall;

/**
 * Calls a tool on behalf of a model, and turns every failure but an abort into a result that the model can read, so that
 * an agent's loop goes on the same way in every framework.
 *
 * @param input What the model gave; nothing counts as no arguments, anything but an object is not sent.
 * @throws What the source threw, if the caller has given up: `McpError` `MCP_ABORTED`. That is never told to a model.
 */
export async function callForModel(
  source: ToolSource,
  tool: ToolDescriptor,
  input: unknown,
  signal?: AbortSignal,
): Promise<ModelCallResult> {
  try {
    const result = await source.callTool(tool.name, toArguments(tool, input), { signal, audience: "model" });
    // Only a FailedCall speaks of an error of ours; a server cannot pretend to one.
    return isFailedCall(result) ? { ...result, mcpError: undefined } : result;
  } catch (error) {
    if (isMcpError(error, "MCP_ABORTED") || signal?.aborted === true) throw error;
    return failedCall(error, { server: tool.server, tool: tool.originalName });
  }
}

/** Whether a value is the account of a call that failed, also after it was stored or sent as JSON. */
export function isFailedCall(value: unknown): value is FailedCall {
  if (typeof value !== "object" || value === null || !("mcpError" in value)) return false;
  return typeof value.mcpError === "object" && value.mcpError !== null;
}

function failedCall(error: unknown, place: { server: string; tool: string }): FailedCall {
  const known = isMcpError(error) ? error : unexpectedError(error, place);
  // Results travel to browsers; what a server's process wrote to its standard error should not.
  const { stderr: _, ...report } = known.toJSON();
  return {
    content: [{ type: "text", text: errorText(known, place) }],
    isError: true,
    mcpError: JSON.parse(JSON.stringify(report)) as McpErrorReport,
  };
}

function toArguments(tool: ToolDescriptor, input: unknown): JsonObject {
  if (input === undefined || input === null) return {};
  if (typeof input === "object" && !Array.isArray(input)) return input as JsonObject;
  throw new McpError("MCP_ARGUMENTS_INVALID", "The arguments must be one JSON object; nothing was sent.", {
    server: tool.server,
    tool: tool.originalName,
    phase: "call",
    outcome: "not-sent",
  });
}
