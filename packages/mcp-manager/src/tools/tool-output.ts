import {
  isInputRequired,
  type ToolCallResult,
  type ToolDefinition,
  type ToolDescriptor,
} from "@jackfield/mcp-core";
import type { OutputCheck } from "@jackfield/mcp-tools";
import { uncheckedAnswer } from "./call-error.ts";

/**
 * Checks an answer as it arrives, before any middleware has changed it, against the tool's output schema.
 *
 * @returns the answer itself; rejects with McpError `MCP_PROTOCOL_VIOLATED`, with outcome `unknown`, if it does not follow the schema.
 */
export type CheckOutput = (
  tool: ToolDescriptor,
  answered: Promise<ToolCallResult>,
) => Promise<ToolCallResult>;

/** A check that prepares each schema once, and loads the validator with the first: many programs never need it. */
export function createOutputChecks(): CheckOutput {
  const prepared = new WeakMap<ToolDefinition, Promise<OutputCheck>>();
  const prepare = (tool: ToolDescriptor) => {
    const check = import("@jackfield/mcp-tools")
      .then(({ createOutputCheck }) => createOutputCheck(tool))
      .catch((thrown: unknown) => {
        throw uncheckedAnswer(thrown, tool);
      });
    prepared.set(tool.definition, check);
    return check;
  };
  const checkAgainstSchema = async (tool: ToolDescriptor, result: ToolCallResult) => {
    if (isInputRequired(result)) return result;
    const check = await (prepared.get(tool.definition) ?? prepare(tool));
    const violation = check(result);
    if (violation !== undefined) throw violation;
    return result;
  };
  return (tool, answered) => answered.then((result) => checkAgainstSchema(tool, result));
}
