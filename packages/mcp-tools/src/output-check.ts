import { McpError, type ToolCallResult, type ToolDescriptor } from "@jackfield/mcp-core";
import { createSchemaValidator, type SchemaValidator } from "./schema/schema-validator.ts";
import { isSchema } from "./schema/subschemas.ts";
import { isTooMuch, toldProblems } from "./schema/told-problems.ts";

/** Checks what a tool answered; without an answer of its own the result is good. */
export type OutputCheck = (result: ToolCallResult) => McpError | undefined;

/**
 * Checks structured content against the output schema that the server gave with the tool. "Clients SHOULD validate structured
 * results against this schema" (MCP specification, tools). Results with `isError`, and tools without an output schema, are good.
 * A schema that would take too long to check against is passed over: who writes the schema writes the answer too, so nothing
 * is gained by refusing it.
 *
 * @returns a check that gives `MCP_PROTOCOL_VIOLATED` with the places and reasons; the outcome is `unknown`, because an answer
 * that contradicts itself proves nothing.
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
      return problems.length === 0 ? undefined : violation(tool, toldProblems(problems, "the content"));
    } catch (error) {
      if (isTooMuch(error)) return undefined;
      throw error;
    }
  };
}

function violation({ server, originalName }: ToolDescriptor, why: string): McpError {
  const message = `The answer of tool "${originalName}" of server "${server}" does not follow its output schema: ${why}.`;
  return new McpError("MCP_PROTOCOL_VIOLATED", message, {
    server,
    tool: originalName,
    phase: "call",
    outcome: "unknown",
  });
}
