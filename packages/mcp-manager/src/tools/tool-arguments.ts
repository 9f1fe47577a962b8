import { isMcpError, isRecord, type JsonObject, McpError, type ToolDescriptor } from "@jackfield/mcp-core";

/**
 * Refuses arguments before anything is sent: they must be an object and hold whatever the tool requires ([T19], [T20]).
 *
 * @throws McpError `MCP_ARGUMENTS_INVALID` with outcome `not-sent`, naming what is missing in alphabetical order.
 */
export function checkArguments(tool: ToolDescriptor, args: unknown): asserts args is JsonObject {
  const { required } = tool.definition.inputSchema;
  let missing: string[] | undefined;
  try {
    if (!isRecord(args)) throw refusal(tool, "its arguments must be an object");
    if (Array.isArray(required)) {
      for (const name of required as readonly string[]) {
        if (Object.hasOwn(args, name) && (args as JsonObject)[name] !== undefined) continue;
        missing ??= [];
        missing.push(name);
      }
    }
  } catch (error) {
    // A getter in the arguments may throw.
    throw isMcpError(error) ? error : refusal(tool, "its arguments cannot be read");
  }
  if (missing === undefined) return;
  throw refusal(
    tool,
    `missing required argument ${missing
      .sort()
      .map((name) => `"${name}"`)
      .join(", ")}`,
  );
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
