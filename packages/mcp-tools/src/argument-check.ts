import { isRecord, McpError, type ToolDescriptor } from "@jackfield/mcp-core";
import { SchemaTooLarge } from "./schema/schema-index.ts";
import { createSchemaValidator, type SchemaValidator } from "./schema/schema-validator.ts";
import { formatProblems, isTooMuch } from "./schema/shown-problems.ts";
import { isSchema } from "./schema/subschemas.ts";

/** Checks the arguments that a model gave a tool; `undefined` means that they are valid. */
export type ArgumentCheck = (args: unknown) => McpError | undefined;

/**
 * Checks arguments against the server's own schema, not the one a model was shown. Nothing is prepared before the first check.
 * A check is synchronous and takes some milliseconds at most: it is bounded by a count of steps, not by a clock, so its answer
 * does not depend on the machine's load.
 *
 * Where the server's limits say `checkArguments: false`, it only demands that the arguments are an object.
 *
 * @returns a check that gives `MCP_ARGUMENTS_INVALID` with the places and reasons, or `MCP_LIMIT_EXCEEDED` if the schema or a
 * pattern in it would take too long; both with outcome `not-sent`, and without the arguments in their text.
 */
export function createArgumentCheck(tool: ToolDescriptor): ArgumentCheck {
  let validator: SchemaValidator | undefined;
  return (args) => {
    if (!isRecord(args))
      return refusal(tool, "MCP_ARGUMENTS_INVALID", "the arguments must be one JSON object");
    if (tool.checkArguments === false) return undefined;
    const schema: unknown = tool.definition.inputSchema;
    try {
      validator ??= createSchemaValidator(isSchema(schema) ? schema : true);
      const problems = validator.problems(args);
      return problems.length === 0
        ? undefined
        : refusal(tool, "MCP_ARGUMENTS_INVALID", formatProblems(problems, "the arguments"));
    } catch (error) {
      if (isTooMuch(error)) return refusal(tool, "MCP_LIMIT_EXCEEDED", tooLong(error));
      throw error;
    }
  };
}

function tooLong(error: Error): string {
  return error instanceof SchemaTooLarge
    ? "its schema is too large to check the arguments against"
    : "checking the arguments against its schema would take too long; shorter values may help";
}

function refusal(
  tool: ToolDescriptor,
  code: "MCP_ARGUMENTS_INVALID" | "MCP_LIMIT_EXCEEDED",
  why: string,
): McpError {
  const { server, originalName } = tool;
  const message = `Tool "${originalName}" of server "${server}" was not called: ${why}.`;
  return new McpError(code, message, { server, tool: originalName, phase: "call", outcome: "not-sent" });
}
