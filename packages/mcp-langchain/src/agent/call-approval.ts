import { approvalNeed, type ModelTool, type ToolApproval } from "@jackfield/mcp-tools";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import {
  type BuiltInState,
  humanInTheLoopMiddleware,
  type InterruptOnConfig,
  type JumpToTarget,
  type Runtime,
} from "langchain";
import type { LiveTools } from "./live-tools.ts";

/** Under this name a message with calls says which of them a person has agreed to. Providers are not sent it. */
const APPROVED = "jackfield/approved";

type InterruptOn = Record<string, InterruptOnConfig>;

/** What the hook gives back to the agent. */
interface HookResult {
  messages?: BaseMessage[];
  jumpTo?: JumpToTarget;
}

/** A hook that runs after each answer of the model. */
export type ApprovalHook = (
  state: BuiltInState,
  runtime: Runtime<unknown>,
) => Promise<HookResult | undefined>;

/** Whether a person must be asked about a call. */
export function isApprovalNeeded(
  approval: ToolApproval | undefined,
  tool: ModelTool,
  args: unknown,
): boolean | Promise<boolean> {
  const need = approvalNeed(approval, tool.descriptor);
  return typeof need === "function" ? need(tool.argumentsOf(args)) : need;
}

/** Whether a person was asked about a call and agreed, as the conversation says. */
export function wasApproved(messages: readonly BaseMessage[], toolCallId: string | undefined): boolean {
  const asking = messages.findLast(
    (message) => AIMessage.isInstance(message) && message.tool_calls?.some(({ id }) => id === toolCallId),
  );
  return asking !== undefined && approvedIn(asking).includes(toolCallId);
}

function approvedIn({ response_metadata }: BaseMessage): readonly unknown[] {
  const approved: unknown = response_metadata[APPROVED];
  return Array.isArray(approved) ? approved : [];
}

/**
 * Has LangChain's `humanInTheLoopMiddleware` ask about the calls of an answer, by the tools as they are now, and writes down
 * on the answer which of them a person has agreed to.
 */
export function createApprovalHook(approval: ToolApproval, live: LiveTools): ApprovalHook {
  return async (state, runtime) => {
    const answer = state.messages.findLast(AIMessage.isInstance);
    if (answer === undefined) return undefined;
    const asked = new Set<string | undefined>();
    const interruptOn = questions(answer, approval, live, asked);
    // What it takes is declared by way of zod, and comes out as `never` under `exactOptionalPropertyTypes`.
    const hook = hookOf(humanInTheLoopMiddleware({ interruptOn } as never));
    const result = await hook(state, runtime);
    if (result === undefined || asked.size === 0) return result;
    const refusals = (result.messages ?? []).filter(ToolMessage.isInstance);
    const refused = new Set<string | undefined>(refusals.map((message) => message.tool_call_id));
    const approved = [...asked].filter((id) => !refused.has(id));
    // What was there is of another such hook, for the tools of another source.
    const all = [...approvedIn(answer), ...approved];
    answer.response_metadata = { ...answer.response_metadata, [APPROVED]: all };
    // A refusal sends the run back to the model; calls nobody had to be asked about would stay without an answer then, which
    // providers do not take. Without the jump they are made, and the model is asked after them.
    const isWaiting = answer.tool_calls?.some(({ id }: ToolCall) => !refused.has(id)) === true;
    const { jumpTo, ...rest } = result;
    return isWaiting || jumpTo === undefined ? rest : result;
  };
}

/** Which calls to ask about. Those that really are come to stand in `asked`. */
function questions(
  answer: AIMessage,
  approval: ToolApproval,
  live: LiveTools,
  asked: Set<string | undefined>,
): InterruptOn {
  const interruptOn: InterruptOn = Object.create(null);
  for (const { name } of answer.tool_calls ?? []) {
    const tool = live.find(name);
    if (tool === undefined) continue;
    interruptOn[name] = {
      allowedDecisions: ["approve", "edit", "reject"],
      when: async ({ toolCall }) => {
        const isNeeded = await isApprovalNeeded(approval, tool, toolCall.args);
        if (isNeeded) asked.add(toolCall.id);
        return isNeeded;
      },
    };
  }
  return interruptOn;
}

function hookOf({ afterModel }: ReturnType<typeof humanInTheLoopMiddleware>): ApprovalHook {
  const hook = typeof afterModel === "function" ? afterModel : afterModel?.hook;
  if (hook === undefined)
    throw new TypeError("humanInTheLoopMiddleware of this LangChain has no afterModel hook.");
  return hook as ApprovalHook;
}
