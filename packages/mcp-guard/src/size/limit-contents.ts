import type { GetPromptResult, ReadResourceResult } from "@jackfield/mcp-core";
import { limitBlocks, notice } from "./limit-results.ts";
import { parseLimits, type ResultLimits } from "./result-limits.ts";

/**
 * Limits what a model reads of a prompt, as `limitResults` does of a result; a final user message says how much is missing.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a limit that is not a number of at least 0.
 */
export function limitPrompt(prompt: GetPromptResult, limits: ResultLimits = {}): GetPromptResult {
  const contents = prompt.messages.map(({ content }) => content);
  const { kept, room } = limitBlocks(contents, parseLimits(limits));
  if (room.missing.length === 0) return prompt;
  const messages = prompt.messages.flatMap((message, at) =>
    (kept[at] ?? []).map((content) => ({ ...message, content })),
  );
  const content = { type: "text" as const, text: notice("prompt", room.missing) };
  return { ...prompt, messages: [...messages, { role: "user", content }] };
}

/**
 * Limits what a model reads of a resource, as `limitResults` does of a result; a final text says how much is missing.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a limit that is not a number of at least 0.
 */
export function limitResource(resource: ReadResourceResult, limits: ResultLimits = {}): ReadResourceResult {
  const blocks = resource.contents.map((contents) => ({ type: "resource" as const, resource: contents }));
  const { kept, room } = limitBlocks(blocks, parseLimits(limits));
  if (room.missing.length === 0) return resource;
  const contents = kept.flat().map((block) => (block as (typeof blocks)[number]).resource);
  const uri = contents[0]?.uri ?? "about:blank";
  return { ...resource, contents: [...contents, { uri, text: notice("resource", room.missing) }] };
}
