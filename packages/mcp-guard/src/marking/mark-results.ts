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
import { encloseUntrusted, isPlainName, type Provenance } from "./boundary.ts";
import { markBlock } from "./mark-blocks.ts";

/**
 * Encloses each text of a result in boundary markers if a model is to read it; a program gets what the server sent. Images,
 * audio and structured content, which is data, are not enclosed. Structured content that the texts repeat is left out, or a
 * model would read it again without markers. The message of a failed call is enclosed if it may quote the server, and cut at
 * 600 bytes so that the closing marker survives the length limit of error texts.
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
  const unrepeated = unrepeatedContent(result);
  return unrepeated === undefined
    ? { ...rest, content }
    : { ...rest, content, structuredContent: unrepeated };
}

/** The result of a prompt with each text of its messages enclosed. */
export function markPrompt(prompt: GetPromptResult, provenance: Provenance): GetPromptResult {
  const messages = prompt.messages.map((message) => ({
    ...message,
    content: markBlock(message.content, provenance),
  }));
  return { ...prompt, messages };
}

/** The structured content without what the texts repeat. */
function unrepeatedContent(result: ToolCallResult): JsonValue | undefined {
  if (result.structuredContent === undefined) return undefined;
  const data = classifyResult(result).parts.find((part) => part.kind === "data");
  return data?.value;
}

/**
 * Codes of errors whose message quotes nothing of a server but its name and its tool's. Every other one may quote a server, or something
 * on the way to it.
 */
const OWN_MESSAGE_CODES: ReadonlySet<ErrorCode> = new Set([
  "MCP_ABORTED",
  "MCP_APPROVAL_REQUIRED",
  "MCP_CALL_DENIED",
  "MCP_CALL_TIMEOUT",
  "MCP_CLOSED",
  "MCP_CONFIG_INVALID",
  "MCP_CONFIG_NOT_FOUND",
  "MCP_CONFIG_VARIABLE_MISSING",
  "MCP_INTERNAL",
  "MCP_SERVER_UNKNOWN",
  "MCP_STORAGE_FAILED",
  "MCP_TOOL_CHANGED",
  "MCP_TOOL_UNKNOWN",
]);

const LONGEST_MESSAGE_BYTES = 600;

function markError(error: unknown, provenance: Provenance): unknown {
  if (!isMcpError(error)) return error;
  const { server = "", tool = "" } = provenance;
  if (OWN_MESSAGE_CODES.has(error.code) && isPlainName(server) && isPlainName(tool)) return error;
  // The space keeps a message that ends in "token=" from having the closing marker taken for its value and redacted.
  const message = encloseUntrusted(`${cutBytes(error.message)} `, provenance);
  return new McpError(error.code, message, { ...error.toJSON(), cause: error });
}

/**
 * Cuts the text to `LONGEST_MESSAGE_BYTES` of UTF-8, at a character boundary. The ellipsis shows `errorText`, which redacts the
 * message later, that what stands before it may be the beginning of a secret.
 */
function cutBytes(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(LONGEST_MESSAGE_BYTES));
  return read < text.length ? `${text.slice(0, read)}…` : text;
}
