import {
  type CallMiddleware,
  type ErrorCode,
  type GetPromptResult,
  isMcpError,
  type JsonValue,
  McpError,
  type ToolCallResult,
} from "@jackfield/mcp-core";
import { classifyResult } from "@jackfield/mcp-tools";
import { blocksOf } from "../known-block.ts";
import { encloseUntrusted, type Provenance } from "./boundary.ts";
import { markBlock } from "./mark-blocks.ts";

/**
 * Encloses each text of a result in boundary markers, where a model is to read it; a program gets what the server sent.
 * Images and sounds stay what they are, and so does structured content, which is data. What of it the texts say already is
 * left out, or a model would read it again without markers. Of a refused call the server's own words are enclosed, cut at 600
 * bytes, so that the closing marker survives the limit on what a model reads of an error.
 */
export function markResults(): CallMiddleware {
  return async ({ tool, options }, next) => {
    if (options.audience !== "model") return next();
    const provenance = { server: tool.server, tool: tool.originalName };
    try {
      return markResult(await next(), provenance);
    } catch (error) {
      throw markError(error, provenance);
    }
  };
}

/** The result with each of its texts enclosed. */
export function markResult(result: ToolCallResult, provenance: Provenance): ToolCallResult {
  const { structuredContent: _, ...rest } = result;
  const content = blocksOf(result).map((block) => markBlock(block, provenance));
  const news = unsaidContent(result);
  return news === undefined ? { ...rest, content } : { ...rest, content, structuredContent: news };
}

/** What a server fills in for a prompt, with each text of its messages enclosed. */
export function markPrompt(prompt: GetPromptResult, provenance: Provenance): GetPromptResult {
  const messages = prompt.messages.map((message) => ({
    ...message,
    content: markBlock(message.content, provenance),
  }));
  return { ...prompt, messages };
}

/** The structured content without what the texts say. */
function unsaidContent(result: ToolCallResult): JsonValue | undefined {
  if (result.structuredContent === undefined) return undefined;
  const data = classifyResult(result).parts.find((part) => part.kind === "data");
  return data?.value;
}

/** The errors whose message is ours alone. Every other one may quote what a server, or something on the way to it, said. */
const OUR_OWN: ReadonlySet<ErrorCode> = new Set([
  "MCP_ABORTED",
  "MCP_APPROVAL_REQUIRED",
  "MCP_ARGUMENTS_INVALID",
  "MCP_CALL_DENIED",
  "MCP_CALL_TIMEOUT",
  "MCP_CLOSED",
  "MCP_CONFIG_INVALID",
  "MCP_CONFIG_NOT_FOUND",
  "MCP_CONFIG_VARIABLE_MISSING",
  "MCP_INTERNAL",
  "MCP_SERVER_UNKNOWN",
  "MCP_TOOL_CHANGED",
  "MCP_TOOL_UNKNOWN",
]);

const LONGEST_MESSAGE_BYTES = 600;

function markError(error: unknown, provenance: Provenance): unknown {
  if (!isMcpError(error) || OUR_OWN.has(error.code)) return error;
  // The space keeps a message that ends in "token=" from having the closing marker taken for its value and redacted.
  const message = encloseUntrusted(`${cutBytes(error.message)} `, provenance);
  return new McpError(error.code, message, { ...error.toJSON(), cause: error });
}

/** As much of the text as fits into that many bytes of UTF-8, in whole characters. */
function cutBytes(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(LONGEST_MESSAGE_BYTES));
  return text.slice(0, read);
}
