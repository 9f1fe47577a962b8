import {
  McpError,
  type StateStore,
  type ToolDescriptor,
  type ToolSource,
  toolDigest,
} from "@jackfield/mcp-core";
import {
  type ApprovalNeed,
  approvalNeed,
  changedSinceApproval,
  checkApproval,
  checkProfile,
  createModelTool,
  type ModelTool,
  type ModelToolOptions,
  selectTools,
  type ToolApproval,
  type ToolMetadata,
  type ToolSelection,
  toolMetadata,
} from "@jackfield/mcp-tools";
import { type AiSdkSchema, aiSdkSchema } from "./ai-sdk-schema.ts";
import {
  type AskedCalls,
  callKey,
  createAskedCalls,
  endsWithAnswer,
  type PendingCall,
  wasApproved,
} from "./asked-approval.ts";
import { type AiSdkMajor, type AiSdkModelOutput, toModelOutput } from "./model-output.ts";
import { type AiSdkToolRun, startToolRun } from "./tool-run.ts";

/**
 * Which tools are offered (`include`, `exclude`, by exposed or original name, with `*` for any characters), how their schemas are
 * fitted (`schemaProfile`), and what is called when a call fails (`onError`).
 */
export interface AiSdkToolsOptions extends ToolSelection, ModelToolOptions {
  /** Which calls the SDK asks a person about. Default `off`. */
  readonly approval?: ToolApproval | undefined;
  /**
   * Where the questions that were asked are remembered until they are answered: an answer in a message history approves a call only if its
   * question is found here, once. Default: the memory of this process, so that after a restart a person is asked again. Several processes
   * that serve one chat share a store.
   */
  readonly approvalStore?: Pick<StateStore, "get" | "set" | "delete"> | undefined;
  /** For whom the tools are made, for example a user's id from the session: an answer counts only for whom the question was asked. Default: everybody. */
  readonly principal?: string | undefined;
  /**
   * The SDK's major version, which decides the form of images and files for the model. Default: detected when a tool is called;
   * until then the form of 6, which 7 accepts with a warning.
   */
  readonly sdk?: AiSdkMajor | undefined;
}

/** The options that the AI SDK passes to a tool's `execute`. */
export interface AiSdkExecuteOptions {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
  readonly messages?: unknown;
}

/** What the AI SDK says about a call when it asks whether a person must approve it. */
export interface AiSdkQuestionOptions {
  readonly toolCallId: string;
  readonly messages?: unknown;
}

/** A dynamic tool for AI SDK 6 and 7, written without importing the SDK. */
export interface AiSdkTool {
  readonly type: "dynamic";
  readonly description: string;
  readonly title?: string;
  readonly inputSchema: AiSdkSchema;
  readonly metadata: ToolMetadata;
  /** Whether a person is asked before a call. Missing if never. */
  readonly needsApproval?: (input: unknown, call: AiSdkQuestionOptions) => Promise<boolean>;
  /**
   * Calls the tool. Its result becomes `output` in the SDK's results and messages: the source's result, or a `FailedCall` if there
   * was none; `isFailedCall` tells them apart. Progress comes first, as preliminary results.
   *
   * @throws McpError `MCP_ABORTED` if the caller aborted the call; every other failure is a `FailedCall`.
   */
  execute(input: unknown, options: AiSdkExecuteOptions): AiSdkToolRun;
  /** Converts an output, fresh or stored, for the model. */
  toModelOutput(options: { readonly output: unknown }): AiSdkModelOutput;
}

/** Tools by exposed name; assignable to the AI SDK's `ToolSet`. It has no prototype, so every name is an ordinary one. */
export type AiSdkToolSet = Record<string, AiSdkTool>;

/**
 * The tools that a source has now, for `generateText`, `streamText` and agents of AI SDK 7 and 6.
 *
 * A snapshot, made without importing the SDK: call it again when the source emits `toolsChanged`, or use `aiSdkLiveTools`. A tool
 * that was removed or changed since answers with an error that the model can read.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an unknown approval policy or schema profile, and for a selection that is not a list of
 * names. The options are checked even if there are no tools yet.
 */
export function aiSdkTools(source: ToolSource, options?: AiSdkToolsOptions): AiSdkToolSet {
  const tools: AiSdkToolSet = Object.create(null);
  const adapt = aiSdkToolMaker(source, options);
  for (const tool of selectTools(source.tools(), options)) tools[tool.name] = adapt(tool);
  return tools;
}

/** Makes the tools of one set. */
export type AiSdkToolMaker = (descriptor: ToolDescriptor) => AiSdkTool;

/** The function that makes a set's tools. They share what is detected about the SDK. */
export function aiSdkToolMaker(
  source: ToolSource,
  { approval, approvalStore, principal, sdk, schemaProfile, onError }: AiSdkToolsOptions = {},
): AiSdkToolMaker {
  // Checked now, because the first tool may come in the middle of a request.
  checkApproval(approval);
  checkProfile(schemaProfile);
  const dialect: Dialect = { major: sdk };
  const modelOutput: AiSdkTool["toModelOutput"] = ({ output }) => toModelOutput(output, dialect.major ?? 6);
  const options = { schemaProfile, onError };
  const asked = createAskedCalls({ approvalStore, principal });
  return (descriptor) => {
    const tool = createModelTool(source, descriptor, options);
    const adapted: Writable<AiSdkTool> = {
      type: "dynamic",
      description: descriptor.description,
      inputSchema: aiSdkSchema(tool),
      metadata: toolMetadata(descriptor),
      execute: (input, call) => execute(tool, dialect, input, call, calls),
      toModelOutput: modelOutput,
    };
    const { title } = descriptor.definition;
    if (title !== undefined) adapted.title = title;
    const need = approvalNeed(approval, descriptor);
    const calls = need === false ? undefined : new ApprovedCalls(tool, need, asked);
    if (calls !== undefined) adapted.needsApproval = (input, call) => calls.isAsked(input, call);
    return adapted;
  };
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };

/** The SDK's major version, once it is known. */
interface Dialect {
  major: AiSdkMajor | undefined;
}

function execute(
  tool: ModelTool,
  dialect: Dialect,
  input: unknown,
  call: AiSdkExecuteOptions,
  calls: ApprovedCalls | undefined,
): AiSdkToolRun {
  // Only 7 passes a `context`, even if there is none.
  dialect.major ??= "context" in call ? 7 : 6;
  const { abortSignal: signal } = call;
  return startToolRun(
    calls === undefined
      ? (onProgress) => tool.call(input, { signal, onProgress })
      : async (onProgress) => {
          const permission = await calls.permission(input, call);
          if ("refusal" in permission) return tool.refuse(permission.refusal);
          return tool.call(input, { signal, onProgress, ...permission });
        },
  );
}

/** How many calls that need no approval are remembered between the SDK's question and the call. */
const MOST_FREE_CALLS = 1_000;

/** With what a call is made: the digest that was approved, if any; or the error that refuses it. */
type Permission = { readonly approved?: string } | { readonly refusal: McpError };

/** The calls of a tool that a person may have to approve. */
class ApprovedCalls {
  readonly #tool: ModelTool;
  readonly #need: Exclude<ApprovalNeed, false>;
  readonly #asked: AskedCalls;
  /** Calls about which the policy said that nobody need be asked: it is a function of the program, which is called once for each. */
  readonly #free = new Set<string>();

  constructor(tool: ModelTool, need: Exclude<ApprovalNeed, false>, asked: AskedCalls) {
    this.#tool = tool;
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
    return this.#need === true || this.#need(this.#tool.argumentsOf(input));
  }

  #pending(input: unknown, { toolCallId }: AiSdkQuestionOptions): PendingCall {
    return { toolCallId, toolName: this.#tool.descriptor.name, input };
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
