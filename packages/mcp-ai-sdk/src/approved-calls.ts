import { McpError, type ToolDescriptor, toolDigest } from "@jackfield/mcp-core";
import { type ApprovalNeed, changedSinceApproval, type ModelTool } from "@jackfield/mcp-tools";
import type { AiSdkExecuteOptions, AiSdkQuestionOptions } from "./ai-sdk-tool.ts";
import { type AskedCalls, callKey, endsWithAnswer, type PendingCall, wasApproved } from "./asked-approval.ts";

/** How many calls that need no approval are remembered between the SDK's question and the call. */
const MOST_FREE_CALLS = 1_000;

/** With what a call is made: the digest that was approved, if any; or the error that refuses it. */
export type Permission = { readonly approved?: string } | { readonly refusal: McpError };

/** How a model calls a tool: under which name, and where in the input its arguments are. */
export interface CallForm {
  readonly toolName: string;
  argumentsIn(input: unknown): unknown;
}

/** What the calls of a tool need before a person approves them. */
export interface ApprovedCallsOptions {
  readonly tool: ModelTool;
  /** Default: by its own name, with its arguments as input. */
  readonly form?: CallForm | undefined;
  readonly need: Exclude<ApprovalNeed, false>;
  readonly asked: AskedCalls;
}

/** The calls of a tool that a person may have to approve. */
export class ApprovedCalls {
  readonly #tool: ModelTool;
  readonly #form: CallForm;
  readonly #need: Exclude<ApprovalNeed, false>;
  readonly #asked: AskedCalls;
  /** Calls about which the policy said that nobody need be asked: it is a function of the program, which is called once for each. */
  readonly #free = new Set<string>();

  constructor({ tool, form, need, asked }: ApprovedCallsOptions) {
    this.#tool = tool;
    this.#form = form ?? { toolName: tool.descriptor.name, argumentsIn: (input) => input };
    this.#need = need;
    this.#asked = asked;
  }

  /** Whether a person must be asked; then the SDK asks, and the question is remembered. */
  async isAsked(input: unknown, call: AiSdkQuestionOptions | undefined): Promise<boolean> {
    const isNeeded = await this.#isNeeded(input);
    if (call === undefined) return isNeeded;
    const pending = this.#pending(input, call);
    if (!isNeeded) this.#remember(pending);
    // The SDK also asks before it carries out an answer: that is no question that a person sees.
    else if (!endsWithAnswer(call.messages, call.toolCallId))
      await this.#asked.remember(pending, toolDigest(this.#tool.descriptor));
    return isNeeded;
  }

  async permission(input: unknown, call: AiSdkExecuteOptions): Promise<Permission> {
    const { descriptor } = this.#tool;
    const pending = this.#pending(input, call);
    const isFree = this.#forget(pending);
    const approved = wasApproved(call.messages, pending) ? await this.#asked.take(pending) : undefined;
    if (approved === toolDigest(descriptor)) return { approved };
    if (approved === undefined && (isFree || !(await this.#isNeeded(input)))) return {};
    return { refusal: approved === undefined ? unaskedCall(descriptor) : changedSinceApproval(descriptor) };
  }

  async #isNeeded(input: unknown): Promise<boolean> {
    return this.#need === true || this.#need(this.#tool.argumentsOf(this.#form.argumentsIn(input)));
  }

  #pending(input: unknown, { toolCallId }: AiSdkQuestionOptions): PendingCall {
    return { toolCallId, toolName: this.#form.toolName, input };
  }

  #remember(call: PendingCall): void {
    const key = keyOf(call);
    if (key === undefined) return;
    const [oldest] = this.#free;
    if (this.#free.size === MOST_FREE_CALLS && oldest !== undefined) this.#free.delete(oldest);
    this.#free.add(key);
  }

  /** @returns whether it was remembered */
  #forget(call: PendingCall): boolean {
    if (this.#free.size === 0) return false;
    const key = keyOf(call);
    return key !== undefined && this.#free.delete(key);
  }
}

/** `undefined` for input that cannot be written as JSON. */
function keyOf(call: PendingCall): string | undefined {
  try {
    return callKey(call);
  } catch {
    return undefined;
  }
}

function unaskedCall({ server, originalName: tool }: ToolDescriptor): McpError {
  const message = `No approval of this call of "${tool}" of server "${server}" can be believed: this program has not asked for it, has used the answer already, or was restarted since. Call the tool again, and the person is asked again; several processes that serve one chat share an approvalStore.`;
  return new McpError("MCP_CALL_DENIED", message, { server, tool, phase: "call", outcome: "not-sent" });
}
