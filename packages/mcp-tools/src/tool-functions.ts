import {
  type CallOptions,
  type JsonObject,
  type JsonValue,
  McpError,
  type ToolCallResult,
  type ToolSource,
} from "@jackfield/mcp-core";
import { classifyResult } from "./classified-result.ts";
import { resultText } from "./model-content.ts";
import { selectTools, type ToolSelection } from "./tool-selection.ts";

/** What a tool takes and gives, by exposed name: `ToolTypes` of `jackfield`, as `jackfield types` writes it. */
export interface ToolFunctionTypes {
  readonly [name: string]: { readonly input: object; readonly output: unknown };
}

/** Tools as functions, by exposed name. */
export type ToolFunctions<Types = ToolFunctionTypes> = {
  readonly [Name in keyof Types]: (
    input: Types[Name] extends { readonly input: infer Input } ? Input : JsonObject,
    options?: Pick<CallOptions, "signal" | "timeoutMs" | "onProgress">,
  ) => Promise<Types[Name] extends { readonly output: infer Output } ? Output : JsonValue>;
};

/**
 * The tools of a source as functions that give data or throw, for programs and for code that a model writes. A snapshot.
 *
 * A function resolves with the structured content of the answer, or with its text if there is none.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a selection that is not a list of names. A function rejects with the source's own errors, and
 * with `MCP_TOOL_REJECTED` if the tool reports an error (`isError`).
 */
export function toolFunctions<Types = ToolFunctionTypes>(
  source: ToolSource,
  selection: ToolSelection = {},
): ToolFunctions<Types> {
  const functions: Record<string, (input: JsonObject, options?: CallOptions) => Promise<JsonValue>> =
    Object.create(null);
  for (const { name, server, originalName } of selectTools(source.tools(), selection)) {
    functions[name] = async (input, options) => {
      const result = await source.callTool({ server, tool: originalName }, input, options);
      if (result.isError !== true) return resultData(result);
      const message = resultText(classifyResult(result));
      throw new McpError("MCP_TOOL_REJECTED", message, { server, tool: originalName, phase: "call" });
    };
  }
  return functions as unknown as ToolFunctions<Types>;
}

/** A result as data: its structured content, or its text if there is none. */
export function resultData(result: ToolCallResult): JsonValue {
  const { structuredContent } = result;
  return structuredContent === undefined
    ? resultText(classifyResult(result))
    : (structuredContent as JsonValue);
}
