import type {
  CallMiddleware,
  CallOptions,
  ToolCallResult,
  ToolDefinition,
  ToolDescriptor,
} from "@jackfield/mcp-core";

/** A tool as the manager offers it. */
export function offeredTool(definition: Partial<ToolDefinition> = {}, server = "files"): ToolDescriptor {
  const whole: ToolDefinition = { name: "read_file", inputSchema: { type: "object" }, ...definition };
  return {
    name: `mcp__${server}__${whole.name}`,
    server,
    originalName: whole.name,
    description: whole.description ?? "",
    definition: whole,
    origin: "live",
    requiresApproval: false,
  };
}

/** Calls a tool through a middleware, with a server that gives this answer. */
export async function callThrough(
  middleware: CallMiddleware,
  answer: ToolCallResult | Error,
  options: CallOptions = { audience: "model" },
  tool: ToolDescriptor = offeredTool(),
): Promise<ToolCallResult> {
  return middleware({ tool, args: {}, options }, async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
}

/** A result of one text. */
export function textResult(text: string): ToolCallResult {
  return { content: [{ type: "text", text }] };
}
