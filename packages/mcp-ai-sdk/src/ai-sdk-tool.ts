import type { ToolMetadata } from "@jackfield/mcp-tools";
import type { AiSdkSchema } from "./ai-sdk-schema.ts";
import type { AiSdkModelOutput } from "./model-output.ts";
import type { AiSdkToolRun } from "./tool-run.ts";

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
  /** Whether OpenAI may make optional arguments mandatory; without a word it does. */
  readonly strict?: boolean;
  readonly inputSchema: AiSdkSchema;
  readonly metadata: ToolMetadata;
  /** Whether AI SDK 7 shows the tool only once its `toolSearch` has found it. */
  readonly deferLoading?: boolean;
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
 * Puts a tool into a set so that it is found and not listed. AI SDK 6 and 7 offer enumerable tools and look names up: a stored result is converted
 * by its tool, though that is offered no more, and an approved call of it gets an answer, without which the run would end with an error.
 */
export function hideTool(tools: AiSdkToolSet, name: string, get: () => AiSdkTool): void {
  // A tool that the program adds under this name later is listed.
  const set = (value: AiSdkTool) =>
    Object.defineProperty(tools, name, { value, configurable: true, enumerable: true, writable: true });
  Object.defineProperty(tools, name, { get, set, configurable: true, enumerable: false });
}
