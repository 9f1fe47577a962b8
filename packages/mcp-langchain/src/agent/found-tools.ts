import { isRecord, type ToolDescriptor } from "@jackfield/mcp-core";
import {
  failedCall,
  fitSchema,
  foundText,
  type KnownProfile,
  type ModelTool,
  namesFound,
  type ToolFinder,
  textIn,
  textResult,
} from "@jackfield/mcp-tools";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

/** `search_tools` as any other tool, for a kind of API. */
export function searchTool(finder: ToolFinder, profile: KnownProfile): ModelTool {
  const { name, description, inputSchema } = finder.searchTool;
  const descriptor: ToolDescriptor = {
    ...{ name, originalName: name, server: "", description, origin: "live", requiresApproval: false },
    definition: { name, description, inputSchema },
  };
  return {
    descriptor,
    description,
    fitted: fitSchema(inputSchema, { profile }),
    check: () => undefined, // It reads whatever it is given.
    argumentsOf: (input) => (isRecord(input) ? input : {}),
    call: async (input) => textResult(foundText(finder.search(textIn(input, "query")))),
    refuse: failedCall,
  };
}

/**
 * The names of the tools that a conversation knows, in the order in which it came to know them: those that its searches found, and those that it
 * called. Read from its messages, so that a run that is resumed anywhere knows them as well.
 */
export function foundIn(
  messages: readonly BaseMessage[],
  { searchTool, hidden }: ToolFinder,
): readonly string[] {
  const known = new Set(hidden.map(({ name }) => name));
  const names = messages.flatMap((message) => {
    if (AIMessage.isInstance(message)) return (message.tool_calls ?? []).map(({ name }) => name);
    return ToolMessage.isInstance(message) && message.name === searchTool.name
      ? namesFound(message.text)
      : [];
  });
  return [...new Set(names)].filter((name) => known.has(name));
}
