import { type JsonObject, McpError, type ToolDescriptor } from "@jackfield/mcp-core";

/**
 * Refuses arguments before anything is sent: they must be an object and hold whatever the tool requires ([T19], [T20]).
 *
 * @throws McpError `MCP_ARGUMENTS_INVALID` with outcome `not-sent`, naming what is missing in alphabetical order.
 */
export function checkArguments(tool: ToolDescriptor, args: unknown): asserts args is JsonObject {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    throw refusal(tool, "its arguments must be an object");
  const { required } = tool.definition.inputSchema;
  if (!Array.isArray(required)) return;
  const isMissing = (name: string) => !Object.hasOwn(args, name) || (args as JsonObject)[name] === undefined;
  if (!required.some(isMissing)) return;
  const missing = required.filter(isMissing).sort();
  throw refusal(tool, `missing required argument ${missing.map((name) => `"${name}"`).join(", ")}`);
}

function refusal({ server, originalName }: ToolDescriptor, why: string): McpError {
  const message = `Tool "${originalName}" of server "${server}" was not called: ${why}.`;
  return new McpError("MCP_ARGUMENTS_INVALID", message, {
    server,
    tool: originalName,
    phase: "call",
    outcome: "not-sent",
  });
}
