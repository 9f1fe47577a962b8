import { randomUUID } from "node:crypto";
import { toolDigest } from "@jackfield/mcp-core";
import { approvalNeed, type ModelTool, type ToolApproval } from "@jackfield/mcp-tools";
import { AIMessage, AIMessageChunk, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { BuiltInState, JumpToTarget, Runtime } from "langchain";
import { type AgreedCall, writeAgreements } from "./agreed-calls.ts";
import { type DecidedCall, decideCalls } from "./call-decisions.ts";
import type { LiveTools } from "./live-tools.ts";

/** The state update that the hook returns to the agent. */
interface HookResult {
  messages: BaseMessage[];
  jumpTo?: JumpToTarget;
}

/** A hook that runs after each answer of the model. */
export type ApprovalHook = (
  state: BuiltInState,
  runtime: Pick<Runtime, "configurable">,
) => Promise<HookResult | undefined>;

/** What an approval hook needs of the middleware. */
interface ApprovalHookContext {
  readonly live: LiveTools;
  /** The names of the agent's other tools. */
  readonly otherNames: ReadonlySet<string>;
  /** The name of the middleware. */
  readonly name: string;
}

/** Whether a call of one of the source's tools needs approval. Plain JSON. */
interface ApprovalRequirement {
  /** The call's id, or a new one if the model gave none: without ids, decisions could not be told apart. */
  readonly id: string;
  /** Missing if the call already has an answer. */
  readonly isNeeded?: boolean;
  /** The digest of the tool about which the question is asked. */
  readonly digest?: string;
}

/** Whether a person must be asked about a call. */
export function isApprovalNeeded(
  approval: ToolApproval | undefined,
  tool: ModelTool,
  args: unknown,
): boolean | Promise<boolean> {
  const need = approvalNeed(approval, tool.descriptor);
  return typeof need === "function" ? need(tool.argumentsOf(args)) : need;
}

/**
 * Asks a person about the calls in a model's message, by the tools as they are when the message comes, and records the agreements
 * on the message.
 *
 * After the decision LangGraph runs the hook again from its start, maybe days later and in another process. By then the tools and
 * the policy may have changed, and a decision could be applied to another call, or to none. So a task determines once which calls
 * need approval, and the checkpoint keeps its result.
 */
export function createApprovalHook(
  approval: ToolApproval,
  { live, otherNames, name }: ApprovalHookContext,
): ApprovalHook {
  const isOther = (call: ToolCall) => otherNames.has(call.name) && live.find(call.name) === undefined;
  return async ({ messages }, runtime) => {
    const answer = messages.findLast(AIMessage.isInstance);
    const calls = answer?.tool_calls ?? [];
    // Calls of removed tools are not skipped: a tool may be removed while a person decides about its call.
    if (answer === undefined || calls.every(isOther)) return undefined;
    const { interrupt, task } = await import("@langchain/langgraph");
    const answeredIds = new Set(
      messages.slice(messages.indexOf(answer)).flatMap((message) => answeredCallId(message) ?? []),
    );
    const requirements = await task(`${name}.approval`, () =>
      approvalRequirements(calls, answeredIds, approval, live),
    )();
    const callsWithIds = calls.map((call, index) => withId(call, requirements[index]?.id));
    const own = callsWithIds.filter((_, index) => requirements[index] !== null);
    const asked = callsWithIds.filter((_, index) => requirements[index]?.isNeeded === true);
    // Unless the policy is a function, the tool alone decides and is checked again before the call: one that is no longer harmless
    // is not called.
    const isFinal = typeof approval === "function";
    const agreed = (call: ToolCall, index: number): AgreedCall => ({
      call,
      // Whoever edits a call may name another tool, which then is the one that was chosen.
      digest: call.name === calls[index]?.name ? requirements[index]?.digest : digestOf(live.find(call.name)),
    });
    const free = isFinal ? callsWithIds.filter((_, index) => requirements[index]?.isNeeded === false) : [];
    const decided = asked.length === 0 ? [] : decideCalls(asked, interrupt);
    const refusals = decided.filter(ToolMessage.isInstance);
    const approved = decided.flatMap((call, index) =>
      ToolMessage.isInstance(call) ? [] : [agreed(call, callsWithIds.indexOf(asked[index] as ToolCall))],
    );
    const isWritten = writeAgreements(
      answer,
      own,
      { approved, free: free.map((call) => agreed(call, callsWithIds.indexOf(call))) },
      threadOf(runtime),
    );
    if (!isWritten && asked.length + free.length === 0) return undefined;
    writeCalls(
      answer,
      callsWithIds.map((call) => editedCall(decided[asked.indexOf(call)]) ?? call),
    );
    // A rejection sends the run back to the model only if no other call is pending: providers do not take calls without an answer.
    // Without the jump, the pending calls are made, and the model is asked after them.
    for (const { tool_call_id } of refusals) answeredIds.add(tool_call_id);
    const isWaiting = refusals.length === 0 || !callsWithIds.every(({ id = "" }) => answeredIds.has(id));
    return { messages: [answer, ...refusals], ...(isWaiting ? {} : { jumpTo: "model" }) };
  };
}

/** The conversation that a run belongs to. */
export function threadOf({ configurable }: Pick<Runtime, "configurable">): unknown {
  return configurable?.thread_id;
}

function digestOf(tool: ModelTool | undefined): string | undefined {
  return tool && toolDigest(tool.descriptor);
}

/** The id of the call that a message answers. Another middleware may have answered it, and a call takes only one answer. */
function answeredCallId(message: BaseMessage): string | undefined {
  return ToolMessage.isInstance(message) && message.tool_call_id !== "" ? message.tool_call_id : undefined;
}

function withId(call: ToolCall, id: string | undefined): ToolCall {
  return id === undefined || id === call.id ? call : { ...call, id };
}

function editedCall(decided: DecidedCall | undefined): ToolCall | undefined {
  return decided === undefined || ToolMessage.isInstance(decided) ? undefined : decided;
}

function writeCalls(answer: AIMessage, calls: ToolCall[]): void {
  const isChanged = calls.some((call, index) => call !== answer.tool_calls?.[index]);
  if (!isChanged) return;
  answer.tool_calls = calls;
  // A streamed message rebuilds its calls from its chunks when it is read from a checkpoint.
  if (AIMessageChunk.isInstance(answer)) answer.tool_call_chunks = [];
}

/** The requirement for each call; `null` if its tool is not one of the source's. */
function approvalRequirements(
  calls: readonly ToolCall[],
  answeredIds: ReadonlySet<string>,
  approval: ToolApproval,
  live: LiveTools,
): Promise<(ApprovalRequirement | null)[]> {
  return Promise.all(
    calls.map(async ({ id, name, args }) => {
      const tool = live.find(name, args);
      if (tool === undefined) return null;
      if (id !== undefined && answeredIds.has(id)) return { id };
      const digest = toolDigest(tool.descriptor); // Before the policy, which may take its time, is asked about this tool.
      return { id: id || randomUUID(), isNeeded: await isApprovalNeeded(approval, tool, args), digest };
    }),
  );
}
