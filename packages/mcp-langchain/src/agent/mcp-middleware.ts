import { McpError, type ToolSource, toolDigest } from "@jackfield/mcp-core";
import {
  changedSinceApproval,
  checkApproval,
  errorText,
  type ModelTool,
  type ToolApproval,
} from "@jackfield/mcp-tools";
import { ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";
import type { LangchainToolsOptions } from "../langchain-tools.ts";
import { createLangchainTool, type MakeCall } from "../mcp-tool.ts";
import { agreementOn } from "./agreed-calls.ts";
import { createApprovalHook, isApprovalNeeded, threadOf } from "./call-approval.ts";
import { interruptingCall } from "./input-required.ts";
import { createLiveTools } from "./live-tools.ts";
import { inTurn } from "./node-turns.ts";

/** Options of `langchainTools`, and those that need an agent. */
export interface McpMiddlewareOptions extends LangchainToolsOptions {
  /**
   * Which calls a person is asked about, in the format of LangChain's `humanInTheLoopMiddleware` (`HITLRequest`, `HITLResponse`).
   * Default `off`. Needs a checkpointer and the package `@langchain/langgraph`. A function is called once for each call.
   */
  readonly approval?: ToolApproval | undefined;
  /**
   * How a server's questions during a call are answered. `handlers` (default): by the runtime's own handlers. `interrupt`: the
   * graph is interrupted with an `McpInputInterrupt` and resumed with `McpInputAnswers`, if the source returns such questions;
   * needs a checkpointer and the package `@langchain/langgraph`.
   */
  readonly inputRequired?: "handlers" | "interrupt" | undefined;
  /** The middleware's name. LangChain takes each name only once, so an agent with two sources needs two. Default `McpMiddleware`. */
  readonly name?: string | undefined;
}

/**
 * Middleware for `createAgent` that gives an agent the tools of a source as they are at each step: new and changed tools are
 * available from the next request to the model on. Use it instead of `langchainTools`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown approval policy, schema profile or `inputRequired`, and for a selection that
 * is not a list of names. The options are checked even if there are no tools yet.
 */
export function mcpMiddleware(source: ToolSource, options: McpMiddlewareOptions = {}): AgentMiddleware {
  const { approval = "off", inputRequired = "handlers", name = "McpMiddleware" } = options;
  checkApproval(approval);
  checkInputRequired(inputRequired);
  const live = createLiveTools(source, options);
  const otherNames = new Set<string>();
  const callOf = (tool: ModelTool, toolCallId: string | undefined, approved: string | undefined): MakeCall =>
    inputRequired === "interrupt"
      ? interruptingCall(tool, toolCallId, approved)
      : (input, call) => tool.call(input, { ...call, approved });
  return createMiddleware({
    name,
    wrapModelCall: (request, handler) => {
      const taken = new Set(request.tools.map(({ name }) => String(name)));
      for (const name of taken) otherNames.add(name);
      const added = live.offered().filter(({ name }) => !taken.has(name));
      return handler({ ...request, tools: [...request.tools, ...added] });
    },
    wrapToolCall: async (request, handler) => {
      const { toolCall, state, runtime } = request;
      const tool = live.find(toolCall.name);
      if (tool === undefined || request.tool !== undefined) return handler(request);
      const agreement =
        approval === "off" ? undefined : agreementOn(state.messages, toolCall, threadOf(runtime));
      if (agreement === undefined && (await isApprovalNeeded(approval, tool, toolCall.args)))
        return refusedCallMessage(unapprovedCall(tool), tool, toolCall.id);
      if (agreement !== undefined && agreement.digest !== toolDigest(tool.descriptor))
        return refusedCallMessage(changedSinceApproval(tool.descriptor), tool, toolCall.id);
      const approved = agreement?.reason === "approved" ? agreement.digest : undefined;
      const call = async () =>
        handler({ ...request, tool: createLangchainTool(tool, callOf(tool, toolCall.id, approved)) });
      return inputRequired === "interrupt" ? inTurn(runtime, call) : call();
    },
    ...(approval === "off"
      ? {}
      : {
          afterModel: {
            canJumpTo: ["model"],
            hook: createApprovalHook(approval, { live, otherNames, name }),
          },
        }),
  });
}

/** A misspelt value would silently mean `handlers`. */
function checkInputRequired(inputRequired: unknown): void {
  if (inputRequired === "handlers" || inputRequired === "interrupt") return;
  const message = 'The option "inputRequired" must be "handlers" or "interrupt".';
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

/**
 * The error for a call without a recorded agreement: its tool may have come after the model's message, another middleware may have
 * changed the call, or the message may not be the model's.
 */
function unapprovedCall({ descriptor: { server, originalName: tool } }: ModelTool): McpError {
  const message = `No approval was requested for this call of "${tool}" of server "${server}". Call the tool again, and the person is asked.`;
  return new McpError("MCP_CALL_DENIED", message, { server, tool, phase: "call", outcome: "not-sent" });
}

function refusedCallMessage(
  error: McpError,
  { descriptor: { name } }: ModelTool,
  toolCallId: string | undefined,
): ToolMessage {
  return new ToolMessage({
    status: "error",
    name,
    tool_call_id: toolCallId ?? "",
    content: errorText(error),
  });
}
