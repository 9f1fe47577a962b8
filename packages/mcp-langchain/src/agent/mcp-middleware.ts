import { McpError, type ToolSource } from "@jackfield/mcp-core";
import { checkApproval, errorText, type ModelTool, type ToolApproval } from "@jackfield/mcp-tools";
import { ToolMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createMiddleware } from "langchain";
import type { LangchainToolsOptions } from "../langchain-tools.ts";
import { createLangchainTool, type MakeCall } from "../mcp-tool.ts";
import { agreementOn } from "./agreed-calls.ts";
import { createApprovalHook, isApprovalNeeded } from "./call-approval.ts";
import { interruptingCall } from "./input-required.ts";
import { createLiveTools } from "./live-tools.ts";
import { inTurn } from "./node-turns.ts";

/** Options of `langchainTools`, and what only an agent can do. */
export interface McpMiddlewareOptions extends LangchainToolsOptions {
  /**
   * Which calls a person is asked about, in the words of LangChain's `humanInTheLoopMiddleware` (`HITLRequest`, `HITLResponse`).
   * Default `off`. It needs a checkpointer and the package `@langchain/langgraph`. A function is asked once about each call.
   */
  readonly approval?: ToolApproval | undefined;
  /**
   * What becomes of a server's questions in the middle of a call. `handlers` (default): the runtime's own handlers answer.
   * `interrupt`: the graph is interrupted with a `McpInputInterrupt` and resumed with `McpInputAnswers`, where the source hands
   * such answers out; it needs a checkpointer and the package `@langchain/langgraph`.
   */
  readonly inputRequired?: "handlers" | "interrupt" | undefined;
  /** LangChain takes each name once only: an agent with two sources needs two. Default `McpMiddleware`. */
  readonly name?: string | undefined;
}

/**
 * Middleware for `createAgent` that gives an agent the tools of a source as they are at each step: a server that comes up
 * late, or whose tools change, is there from the model's next answer on. Use it in place of `langchainTools`.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an approval policy, a schema profile or an `inputRequired` that does not exist, and for a
 * selection that is no list of names; also where there is no tool yet.
 */
export function mcpMiddleware(source: ToolSource, options: McpMiddlewareOptions = {}): AgentMiddleware {
  const { approval = "off", inputRequired = "handlers", name = "McpMiddleware" } = options;
  checkApproval(approval);
  checkInputRequired(inputRequired);
  const live = createLiveTools(source, options);
  const otherNames = new Set<string>();
  const callOf = (tool: ModelTool, toolCallId: string | undefined, approved: true | undefined): MakeCall =>
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
      const agreement = approval === "off" ? undefined : agreementOn(state.messages, toolCall);
      const approved = agreement === "approved" || undefined;
      if (agreement === undefined && (await isApprovalNeeded(approval, tool, toolCall.args)))
        return unasked(tool, toolCall.id);
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

/** One that is misspelt would hand a server's questions to nobody. */
function checkInputRequired(inputRequired: unknown): void {
  if (inputRequired === "handlers" || inputRequired === "interrupt") return;
  const message = 'The option "inputRequired" must be "handlers" or "interrupt".';
  throw new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}

/** A tool may have come between the model's answer and the call, or another middleware have changed the call. */
function unasked({ descriptor }: ModelTool, toolCallId: string | undefined): ToolMessage {
  const { name, server, originalName: tool } = descriptor;
  const message = `Nobody was asked about this call of "${tool}" of server "${server}".`;
  const error = new McpError("MCP_CALL_DENIED", message, {
    server,
    tool,
    phase: "call",
    outcome: "not-sent",
  });
  return new ToolMessage({
    status: "error",
    name,
    tool_call_id: toolCallId ?? "",
    content: errorText(error),
  });
}
