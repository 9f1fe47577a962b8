import { randomUUID } from "node:crypto";
import { approvalNeed, type ModelTool, type ToolApproval } from "@jackfield/mcp-tools";
import { AIMessage, AIMessageChunk, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { BuiltInState, JumpToTarget } from "langchain";
import { writeAgreements } from "./agreed-calls.ts";
import { type DecidedCall, decideCalls } from "./call-decisions.ts";
import type { LiveTools } from "./live-tools.ts";

/** What the hook gives back to the agent. */
interface HookResult {
  messages: BaseMessage[];
  jumpTo?: JumpToTarget;
}

/** A hook that runs after each answer of the model. */
export type ApprovalHook = (state: BuiltInState) => Promise<HookResult | undefined>;

/** Where the calls come from that a person may be asked about. */
interface ApprovalPlace {
  readonly live: LiveTools;
  /** Of the tools that the agent has besides. */
  readonly otherNames: ReadonlySet<string>;
  /** Of the middleware. */
  readonly name: string;
}

/** What was found out about a call of one of the source's tools. Plain JSON. */
interface Finding {
  /** Some models give calls no id; what is decided could not be told apart then. */
  readonly id: string;
  /** Missing where the call has its answer already. */
  readonly isNeeded?: boolean;
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
 * Has a person asked about the calls of an answer, by the tools as they are when the answer comes, and writes down on the answer
 * what was found of them.
 *
 * LangGraph runs the hook again from its start when the person has decided, maybe days later and in another process. By then the
 * tools and the policy may say something else, and a decision would go to another call, or to none. So what must be asked is
 * found out once, in a task, whose outcome is kept in the checkpoint.
 */
export function createApprovalHook(
  approval: ToolApproval,
  { live, otherNames, name }: ApprovalPlace,
): ApprovalHook {
  const isOther = (call: ToolCall) => otherNames.has(call.name) && live.find(call.name) === undefined;
  return async ({ messages }) => {
    const answer = messages.findLast(AIMessage.isInstance);
    const calls = answer?.tool_calls ?? [];
    // That the source does not have a tool says nothing: it may be gone by the time a person has decided about its call.
    if (answer === undefined || calls.every(isOther)) return undefined;
    const { interrupt, task } = await import("@langchain/langgraph");
    const answered = new Set(
      messages.slice(messages.indexOf(answer)).flatMap((message) => answeredCall(message) ?? []),
    );
    const findings = await task(`${name}.approval`, () => findingsOn(calls, answered, approval, live))();
    const known = calls.map((call, index) => withId(call, findings[index]?.id));
    const own = known.filter((_, index) => findings[index] !== null);
    const asked = known.filter((_, index) => findings[index]?.isNeeded === true);
    // What only the tool decides is looked up again before the call, so that a tool that is no longer harmless is not called.
    const isFinal = typeof approval === "function";
    const free = isFinal ? known.filter((_, index) => findings[index]?.isNeeded === false) : [];
    const decided = asked.length === 0 ? [] : decideCalls(asked, interrupt);
    const refusals = decided.filter(ToolMessage.isInstance);
    const approved = decided.filter((call): call is ToolCall => !ToolMessage.isInstance(call));
    const isWritten = writeAgreements(answer, own, { approved, free });
    if (!isWritten && asked.length + free.length === 0) return undefined;
    writeCalls(
      answer,
      known.map((call) => editedCall(decided[asked.indexOf(call)]) ?? call),
    );
    // A refusal sends the run back to the model only if nothing else waits: calls would stay without an answer then, which
    // providers do not take. Without the jump they are made, and the model is asked after them.
    for (const { tool_call_id } of refusals) answered.add(tool_call_id);
    const isWaiting = refusals.length === 0 || !known.every(({ id = "" }) => answered.has(id));
    return { messages: [answer, ...refusals], ...(isWaiting ? {} : { jumpTo: "model" }) };
  };
}

/** The id of the call that a message answers: another middleware may have answered it, and a call takes one answer only. */
function answeredCall(message: BaseMessage): string | undefined {
  return ToolMessage.isInstance(message) && message.tool_call_id !== "" ? message.tool_call_id : undefined;
}

function withId(call: ToolCall, id: string | undefined): ToolCall {
  return id === undefined || id === call.id ? call : { ...call, id };
}

function editedCall(decided: DecidedCall | undefined): ToolCall | undefined {
  return decided === undefined || ToolMessage.isInstance(decided) ? undefined : decided;
}

function writeCalls(answer: AIMessage, calls: ToolCall[]): void {
  const isOther = calls.some((call, index) => call !== answer.tool_calls?.[index]);
  if (!isOther) return;
  answer.tool_calls = calls;
  // An answer that came in chunks makes its calls of them again when it is read from a checkpoint.
  if (AIMessageChunk.isInstance(answer)) answer.tool_call_chunks = [];
}

/** For each call what was found; null for one of a tool that is none of the source's. */
function findingsOn(
  calls: readonly ToolCall[],
  answered: ReadonlySet<string>,
  approval: ToolApproval,
  live: LiveTools,
): Promise<(Finding | null)[]> {
  return Promise.all(
    calls.map(async ({ id, name, args }) => {
      const tool = live.find(name);
      if (tool === undefined) return null;
      if (id !== undefined && answered.has(id)) return { id };
      return { id: id || randomUUID(), isNeeded: await isApprovalNeeded(approval, tool, args) };
    }),
  );
}
