import type { ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import {
  callForModel,
  type ModelCallResult,
  modelInputSchema,
  selectTools,
  type ToolSelection,
} from "@jackfield/mcp-tools";
import { type AiSdkSchema, aiSdkSchema } from "./ai-sdk-schema.ts";
import { type AiSdkModelOutput, toModelOutput } from "./model-output.ts";

/** Which tools are offered: `include` and `exclude`, by exposed or original name, with `*` for any characters. */
export interface AiSdkToolsOptions extends ToolSelection {}

/** A tool as the AI SDK takes it: its `DynamicTool`, written without importing the SDK. */
export interface AiSdkTool {
  readonly type: "dynamic";
  readonly description: string;
  readonly inputSchema: AiSdkSchema;
  /**
   * Calls the tool. What it answers becomes `output` in the SDK's results and messages: the server's whole answer, or a
   * `FailedCall` if there was none; `isFailedCall` tells them apart.
   *
   * @throws McpError `MCP_ABORTED` if the caller has given up; every other failure is a `FailedCall`.
   */
  execute(
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ): Promise<ModelCallResult>;
  /** Writes an output, fresh or stored, for the model. */
  toModelOutput(options: { readonly output: unknown }): AiSdkModelOutput;
}

/** Tools by exposed name; assignable to the AI SDK's `ToolSet`. It has no prototype, so every name is an ordinary one. */
export type AiSdkToolSet = Record<string, AiSdkTool>;

/**
 * The tools that a source has now, for `generateText`, `streamText` and agents of the AI SDK 7.
 *
 * A snapshot, made at once and without importing the SDK: call it again when the source says `toolsChanged`, for example
 * in `prepareStep`. A tool that has gone meanwhile answers with an error the model can read.
 */
export function aiSdkTools(source: ToolSource, options?: AiSdkToolsOptions): AiSdkToolSet {
  const tools: AiSdkToolSet = Object.create(null);
  for (const tool of selectTools(source.tools(), options)) tools[tool.name] = aiSdkTool(source, tool);
  return tools;
}

function aiSdkTool(source: ToolSource, tool: ToolDescriptor): AiSdkTool {
  return {
    type: "dynamic",
    description: tool.description,
    inputSchema: aiSdkSchema(modelInputSchema(tool.definition.inputSchema)),
    execute: (input, { abortSignal }) => callForModel(source, tool, input, abortSignal),
    toModelOutput: ({ output }) => toModelOutput(output),
  };
}
