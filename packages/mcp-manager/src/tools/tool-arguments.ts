import { type JsonObject, McpError, type ToolDescriptor } from "@jackfield/mcp-core";

/**
 * Refuses arguments before anything is sent: they must be an object and hold whatever the tool requires ([T19], [T20]).
 *
 * @throws McpError `MCP_ARGUMENTS_INVALID` with outcome `not-sent`, naming what is missing in alphabetical order.
 */
export function checkArguments(tool: ToolDescriptor, args: unknown): asserts args is JsonObject {
  const { server, originalName } = tool;
  const refuse = (why: string) =>
    new McpError(
      "MCP_ARGUMENTS_INVALID",
      `Tool "${originalName}" of server "${server}" was not called: ${why}.`,
      {
        server,
        tool: originalName,
        phase: "call",
        outcome: "not-sent",
      },
    );
  if (typeof args !== "object" || args === null || Array.isArray(args))
    throw refuse("its arguments must be an object");
  const required = tool.definition.inputSchema.required;
  if (!Array.isArray(required)) return;
  const missing = required.filter(
    (name) => !Object.hasOwn(args, name) || (args as JsonObject)[name] === undefined,
  );
  if (missing.length > 0)
    throw refuse(
      `missing required argument ${missing
        .sort()
        .map((name) => `"${name}"`)
        .join(", ")}`,
    );
}
