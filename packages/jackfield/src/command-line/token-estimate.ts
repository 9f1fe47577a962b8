import type { ToolDescriptor } from "@jackfield/mcp-core";

/** English text and JSON take about so many characters a token; good enough to compare tools. */
const CHARACTERS_PER_TOKEN = 4;

/** What a model is charged for a tool, about: its name, its description and its schema. */
export function estimateTokens({
  name,
  description,
  definition,
}: Pick<ToolDescriptor, "name" | "description" | "definition">): number {
  return Math.ceil(
    (name.length + description.length + JSON.stringify(definition.inputSchema).length) / CHARACTERS_PER_TOKEN,
  );
}
