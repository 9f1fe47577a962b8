import type { ToolDescriptor } from "./tool.ts";

/** English text and JSON take about this many characters per token; good enough to compare tools. */
export const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens a tool costs a model: its name, description and input schema. */
export function estimateTokens({
  name,
  description,
  definition,
}: Pick<ToolDescriptor, "name" | "description" | "definition">): number {
  return Math.ceil(
    (name.length + description.length + JSON.stringify(definition.inputSchema).length) / CHARACTERS_PER_TOKEN,
  );
}
