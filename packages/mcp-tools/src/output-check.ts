import { McpError, type ToolCallResult, type ToolDescriptor } from "@jackfield/mcp-core";
import { createSchemaValidator, type SchemaValidator } from "./schema/schema-validator.ts";
import { formatProblems, isTooMuch } from "./schema/shown-problems.ts";
import { isSchema } from "./schema/subschemas.ts";

/** Checks a tool's result; `undefined` means that it is valid. */
export type OutputCheck = (result: ToolCallResult) => McpError | undefined;

/**
 * Checks structured content against the output schema that the server gave with the tool. "Clients SHOULD validate structured
 * results against this schema" (MCP specification, tools). Results with `isError`, and tools without an output schema, pass. So
 * does a result that would take too long to check: the server writes both schema and result, so refusing it gains nothing.
 *
 * @returns a check that gives `MCP_PROTOCOL_VIOLATED` with the places and reasons; the outcome is `unknown`, because a result
 * that contradicts its own schema proves nothing.
 */
export function createOutputCheck(tool: ToolDescriptor): OutputCheck {
  const schema: unknown = tool.definition.outputSchema;
  if (!isSchema(schema)) return () => undefined;
  let validator: SchemaValidator | undefined;
  return ({ isError, structuredContent }) => {
    if (isError === true) return undefined;
    if (structuredContent === undefined) return violation(tool, "it has no structured content");
    try {
      validator ??= createSchemaValidator(schema);
      const problems = validator.problems(structuredContent);
      return problems.length === 0 ? undefined : violation(tool, formatProblems(problems, "the content"));
    } catch (error) {
      if (isTooMuch(error)) return undefined;
      throw error;
    }
  };
}

function violation({ server, originalName }: ToolDescriptor, why: string): McpError {
  const message = `The answer of tool "${originalName}" of server "${server}" does not match its output schema: ${why}.`;
  return new McpError("MCP_PROTOCOL_VIOLATED", message, {
    server,
    tool: originalName,
    phase: "call",
    outcome: "unknown",
  });
}
