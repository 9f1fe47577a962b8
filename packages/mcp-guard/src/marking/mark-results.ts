import {
  type CallMiddleware,
  type ContentBlock,
  type ErrorCode,
  isMcpError,
  McpError,
  type ResourceContents,
  type ToolCallResult,
} from "@jackfield/mcp-core";
import { encloseUntrusted, type Provenance } from "./boundary.ts";

/**
 * Encloses each text of a result in boundary markers, where a model is to read it; a program gets what the server sent.
 * Structured content stays data, and images and sounds stay what they are. Of a refused call the server's own words are
 * enclosed, cut at 1,000 characters.
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
  return { ...result, content: result.content.map((block) => markBlock(block, provenance)) };
}

/** A block of a result or of a prompt's message with its text enclosed. */
export function markBlock(block: ContentBlock, provenance: Provenance): ContentBlock {
  switch (block.type) {
    case "text":
      return { ...block, text: encloseUntrusted(block.text, provenance) };
    case "resource":
      return { ...block, resource: markResource(block.resource, provenance) };
    case "resource_link":
      return block.description === undefined
        ? block
        : { ...block, description: encloseUntrusted(block.description, provenance) };
    default:
      return block;
  }
}

/** A resource with its text enclosed; bytes stay as they are. */
export function markResource(contents: ResourceContents, provenance: Provenance): ResourceContents {
  return "text" in contents ? { ...contents, text: encloseUntrusted(contents.text, provenance) } : contents;
}

/** The errors whose message quotes the server. */
const QUOTING: readonly ErrorCode[] = ["MCP_TOOL_REJECTED", "MCP_REQUEST_REJECTED", "MCP_PROTOCOL_VIOLATED"];
/** Leaves room for the rest of what a model is told about an error, and for the closing marker. */
const LONGEST_MESSAGE = 1_000;

function markError(error: unknown, provenance: Provenance): unknown {
  if (!isMcpError(error) || !QUOTING.includes(error.code)) return error;
  const message = encloseUntrusted(error.message.slice(0, LONGEST_MESSAGE), provenance);
  return new McpError(error.code, message, { ...error.toJSON(), cause: error });
}
