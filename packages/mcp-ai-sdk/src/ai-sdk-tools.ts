import type { ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import {
  type ApprovalNeed,
  approvalNeed,
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
import { wasApproved } from "./asked-approval.ts";
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

/** A dynamic tool for AI SDK 6 and 7, written without importing the SDK. */
export interface AiSdkTool {
  readonly type: "dynamic";
  readonly description: string;
  readonly title?: string;
  readonly inputSchema: AiSdkSchema;
  readonly metadata: ToolMetadata;
  /** Whether a person is asked before a call. Missing if not. */
  readonly needsApproval?: boolean | ((input: unknown) => Promise<boolean>);
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
 * that was removed since answers with an error that the model can read.
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
  { approval, sdk, schemaProfile, onError }: AiSdkToolsOptions = {},
): AiSdkToolMaker {
  // Checked now, because the first tool may come in the middle of a request.
  checkApproval(approval);
  checkProfile(schemaProfile);
  const dialect: Dialect = { major: sdk };
  const modelOutput: AiSdkTool["toModelOutput"] = ({ output }) => toModelOutput(output, dialect.major ?? 6);
  const options = { schemaProfile, onError };
  return (descriptor) => {
    const tool = createModelTool(source, descriptor, options);
    const adapted: Writable<AiSdkTool> = {
      type: "dynamic",
      description: descriptor.description,
      inputSchema: aiSdkSchema(tool),
      metadata: toolMetadata(descriptor),
      execute: (input, call) => execute(tool, dialect, input, call),
      toModelOutput: modelOutput,
    };
    const { title } = descriptor.definition;
    if (title !== undefined) adapted.title = title;
    const need = approvalNeed(approval, descriptor);
    if (need !== false) adapted.needsApproval = approvalQuestion(tool, need);
    return adapted;
  };
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };

/** The SDK's major version, once it is known. */
interface Dialect {
  major: AiSdkMajor | undefined;
}

function execute(tool: ModelTool, dialect: Dialect, input: unknown, call: AiSdkExecuteOptions): AiSdkToolRun {
  // Only 7 passes a `context`, even if there is none.
  dialect.major ??= "context" in call ? 7 : 6;
  const { abortSignal: signal, messages, toolCallId } = call;
  const toolName = tool.descriptor.name;
  const approved = wasApproved(messages, { toolCallId, toolName, input }) || undefined;
  return startToolRun((onProgress) => tool.call(input, { signal, onProgress, approved }));
}

function approvalQuestion(
  tool: ModelTool,
  need: Exclude<ApprovalNeed, false>,
): boolean | ((input: unknown) => Promise<boolean>) {
  return need === true ? true : (input) => need(tool.argumentsOf(input));
}
