import {
  type ContentBlock,
  type JsonObject,
  McpError,
  type ToolCallResult,
  type ToolRef,
} from "@jackfield/mcp-core";
import type { Mcp } from "../mcp.ts";
import { parseJson } from "./arguments.ts";
import type { CommandResult } from "./command-result.ts";
import { printable } from "./terminal.ts";

export interface CallOptions {
  /** An exposed name, or an original one if only one server has it. */
  readonly tool: string;
  readonly input: string | undefined;
  /** Standard input; merely looking at it opens it. */
  readonly stdin: () => NodeJS.ReadableStream;
  readonly signal: AbortSignal;
}

export async function call(mcp: Mcp, { tool, input, stdin, signal }: CallOptions): Promise<CommandResult> {
  const args = await readInput(input, stdin);
  const result = await mcp.callTool(findTool(mcp, tool), args as JsonObject, { signal });
  const { content, structuredContent, isError = false } = result;
  return { json: { content, structuredContent, isError }, text: asText(result), exitCode: isError ? 2 : 0 };
}

async function readInput(input: string | undefined, stdin: () => NodeJS.ReadableStream): Promise<unknown> {
  if (input === undefined) return {};
  if (input !== "-") return parseJson(input, "The tool's arguments");
  const { text } = await import("node:stream/consumers");
  return parseJson(await text(stdin()), "The tool's arguments");
}

function findTool(mcp: Mcp, name: string): ToolRef {
  const tools = mcp.tools();
  if (tools.some((tool) => tool.name === name)) return name;
  const [match, ...others] = tools.filter((tool) => tool.originalName === name);
  if (match !== undefined && others.length === 0) return match.name;
  const names = [match, ...others].flatMap((tool) => (tool === undefined ? [] : [tool.name]));
  const hint =
    names.length > 0
      ? `several servers have one: ${names.join(", ")}`
      : '"jackfield tools" lists those that are on offer';
  throw new McpError("MCP_TOOL_UNKNOWN", `No tool is called "${name}"; ${hint}.`, {
    tool: name,
    outcome: "not-sent",
  });
}

function asText({ content, structuredContent }: ToolCallResult): string {
  const parts = content.map(blockText);
  if (parts.length === 0 && structuredContent !== undefined)
    parts.push(JSON.stringify(structuredContent, undefined, 2));
  return parts.map((part) => `${printable(part)}\n`).join("");
}

function blockText(block: ContentBlock): string {
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
