import type { Readable } from "node:stream";
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
import { untilInterrupted } from "./interruption.ts";
import { printable } from "./terminal.ts";

export interface CallOptions {
  /** An exposed name, or an original one if only one server has it. */
  readonly tool: string;
  /** The tool's arguments. */
  readonly input: unknown;
  readonly signal: AbortSignal;
}

export async function call(mcp: Mcp, { tool, input, signal }: CallOptions): Promise<CommandResult> {
  const result = await mcp.callTool(findTool(mcp, tool), input as JsonObject, { signal });
  const { content, structuredContent, isError = false } = result;
  return { json: { content, structuredContent, isError }, text: asText(result), exitCode: isError ? 2 : 0 };
}

export interface InputOptions {
  /** Standard input; merely looking at it opens it. */
  readonly stdin: () => Readable;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/**
 * The tool's arguments: JSON, or `-` to read it from standard input.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for what is no JSON, and the signal's reason
 */
export async function readInput(
  input: string | undefined,
  { stdin, signal }: InputOptions,
): Promise<unknown> {
  if (input === undefined) return {};
  return parseJson(input === "-" ? await readAll(stdin(), signal) : input, "The tool's arguments");
}

async function readAll(stdin: Readable, signal: AbortSignal): Promise<string> {
  const { text } = await import("node:stream/consumers");
  // A stream that is still open would keep the process alive.
  const close = () => stdin.destroy();
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  try {
    return await untilInterrupted(text(stdin), signal);
  } finally {
    signal.removeEventListener("abort", close);
  }
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
