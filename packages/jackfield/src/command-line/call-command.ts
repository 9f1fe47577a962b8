import type { ContentBlock, JsonObject, ToolCallResult, ToolDescriptor } from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import type { CommandResult } from "./command-result.ts";
import { printable } from "./terminal.ts";

export interface CallOptions {
  readonly tool: Pick<ToolDescriptor, "server" | "originalName">;
  /** The tool's arguments. */
  readonly input: JsonObject;
  /** For starting the server and the call together, and for all of a call that reports progress. */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

/** Calls a tool, and prints what the server answers. Exits with 2 if it answers with an error. */
export async function call(
  mcp: Pick<Mcp, "callTool">,
  { tool, input, timeoutMs, signal }: CallOptions,
): Promise<CommandResult> {
  const { server, originalName } = tool;
  const options = timeoutMs === undefined ? { signal } : { signal, timeoutMs, maxTotalMs: timeoutMs };
  const result: ToolCallResult = await mcp.callTool({ server, tool: originalName }, input, options);
  const { isError = false } = result;
  return { json: { ...result, isError }, text: contentText(result), exitCode: isError ? 2 : 0 };
}

/** The content as text; what is no text is described in brackets. */
function contentText({ content, structuredContent }: ToolCallResult): string {
  const parts = content.map(blockText);
  if (parts.length === 0 && structuredContent !== undefined)
    parts.push(JSON.stringify(structuredContent, undefined, 2));
  return parts.map((part) => `${printable(part)}\n`).join("");
}

/** A block of content as text for people. */
export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${block.mimeType}, ${Buffer.byteLength(block.data, "base64")} bytes]`;
    case "resource_link":
      return `[link ${block.uri}]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    default:
      return JSON.stringify(block);
  }
}
