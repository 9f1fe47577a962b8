import { isRecord } from "@jackfield/mcp-core";
import { ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { Decision, HITLRequest } from "langchain";

/** A call after a person's decision: the call, perhaps edited, or the message that rejects it. */
export type DecidedCall = ToolCall | ToolMessage;

/**
 * Asks a person to decide about calls, in the format of LangChain's `humanInTheLoopMiddleware`, so that a user interface for its
 * requests works for these too. That middleware drops the approved calls beside a rejected one, and cannot recover from decisions
 * it does not understand. This one keeps the calls, and asks again, because a wrong value in a checkpoint could not be taken back.
 */
export function decideCalls(
  calls: readonly ToolCall[],
  interrupt: (request: HITLRequest) => unknown,
): readonly DecidedCall[] {
  const request = requestFor(calls);
  for (;;) {
    const decisions = decisionsIn(interrupt(request), calls.length);
    if (decisions !== undefined)
      return calls.map((call, index) => decidedCall(call, decisions[index] as Decision));
  }
}

function requestFor(calls: readonly ToolCall[]): HITLRequest {
  return {
    actionRequests: calls.map(({ name, args }) => ({
      name,
      args,
      description: `Tool execution requires approval\n\nTool: ${name}\nArgs: ${JSON.stringify(args, null, 2)}`,
    })),
    reviewConfigs: calls.map(({ name }) => ({
      actionName: name,
      allowedDecisions: ["approve", "edit", "reject"],
    })),
  };
}

function decisionsIn(response: unknown, count: number): readonly Decision[] | undefined {
  if (!isRecord(response) || !Array.isArray(response.decisions)) return undefined;
  const { decisions } = response;
  return decisions.length === count && decisions.every(isDecision) ? decisions : undefined;
}

function isDecision(decision: unknown): decision is Decision {
  if (!isRecord(decision)) return false;
  const { type, message, editedAction } = decision;
  switch (type) {
    case "approve":
      return true;
    case "reject":
      return message === undefined || typeof message === "string";
    case "edit":
      return isRecord(editedAction) && typeof editedAction.name === "string" && isRecord(editedAction.args);
    default:
      return false;
  }
}

function decidedCall(call: ToolCall, decision: Decision): DecidedCall {
  switch (decision.type) {
    case "approve":
      return call;
    case "edit": {
      const { name, args } = decision.editedAction;
      return { ...call, name, args };
    }
    case "reject":
      return new ToolMessage({
        content: decision.message ?? `User rejected the tool call for \`${call.name}\` with id ${call.id}`,
        name: call.name,
        tool_call_id: call.id ?? "",
        status: "error",
      });
  }
}
