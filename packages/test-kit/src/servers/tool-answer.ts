import type { JsonObject, ToolCallResult, ToolDefinition } from "@jackfield/mcp-core";

/** One transparent pixel. */
const PIXEL_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const ANY_OBJECT = { type: "object" } as const;

/** The default tools of a fault server. */
export const DEFAULT_TOOLS: readonly ToolDefinition[] = [
  { name: "echo", description: "Answers its arguments as text.", inputSchema: ANY_OBJECT },
  { name: "fail", description: "Answers that it failed.", inputSchema: ANY_OBJECT },
  {
    name: "structured",
    description: "Answers its arguments as data.",
    inputSchema: ANY_OBJECT,
    outputSchema: ANY_OBJECT,
  },
  { name: "image", description: "Answers a picture.", inputSchema: ANY_OBJECT },
];

/** Offered on demand; see `FaultScript.echoEnvironment`. */
export const ENVIRONMENT_TOOL: ToolDefinition = {
  name: "environment",
  description: "Answers the server's environment.",
  inputSchema: ANY_OBJECT,
};

/** The result of a tool, chosen by its name. A tool with any other name echoes its arguments. */
export function answerTool(name: string, args: JsonObject, environment: JsonObject): ToolCallResult {
  switch (name) {
    case "fail":
      return { content: [{ type: "text", text: "It failed, as it was asked to." }], isError: true };
    case "structured":
      return { ...asText(args), structuredContent: args };
    case "image":
      return { content: [{ type: "image", data: PIXEL_PNG, mimeType: "image/png" }] };
    case ENVIRONMENT_TOOL.name:
      return { ...asText(environment), structuredContent: environment };
    default:
      return asText(args);
  }
}

function asText(value: JsonObject): ToolCallResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}
