import type { ToolCallResult } from "@jackfield/mcp-core";
import { classifyResult, isMedia, type ModelCallResult, resultText } from "@jackfield/mcp-tools";
import { ToolMessage } from "@langchain/core/messages";
import { type LangchainBlock, toBlock } from "./content-blocks.ts";

/** The return value of a LangChain tool with `content_and_artifact`. */
export type ContentAndArtifact = [
  content: string | LangchainBlock[] | ToolMessage,
  artifact: ModelCallResult,
];

/** The call that a message answers. */
export interface AnsweredCall {
  readonly name: string;
  /** Missing if the tool was not called by a model. */
  readonly toolCallId?: string | undefined;
  readonly metadata?: Record<string, unknown> | undefined;
}

/**
 * Converts a call's result to the content and artifact from which LangChain makes a message. An error is a finished message with
 * status `error`, the only form that every set-up treats alike: an exception of a tool ends the run as soon as any middleware wraps
 * tool calls.
 *
 * Blocks are standard blocks, but the message is not marked as made of them (`output_version`). The OpenAI provider turns a marked
 * tool message into an assistant message, which leaves the call without an answer, and drops the images in its other API. The older
 * data content blocks (`source_type`) are no alternative: the Anthropic provider sends those of tools twice.
 */
export function contentAndArtifact(result: ModelCallResult, call: AnsweredCall): ContentAndArtifact {
  const text = soleText(result);
  if (text !== undefined) return [text, result];
  const classified = classifyResult(result);
  const { parts, isError } = classified;
  const content = parts.some(isMedia) ? parts.map(toBlock) : resultText(classified);
  if (!isError) return [content, result];
  const { name, toolCallId = "", metadata } = call;
  const message = new ToolMessage({
    content,
    status: "error",
    artifact: result,
    name,
    tool_call_id: toolCallId,
    ...(metadata === undefined ? {} : { metadata }),
  });
  return [message, result];
}

/** The text of a successful result that is one text and nothing else, as most are. */
function soleText({ content, structuredContent, isError }: Partial<ToolCallResult>): string | undefined {
  if (isError || structuredContent !== undefined || content?.length !== 1) return undefined;
  const [block]: readonly ({ readonly type?: unknown; readonly text?: unknown } | undefined)[] = content;
  return block?.type === "text" && typeof block.text === "string" ? block.text || undefined : undefined;
}

/**
 * The message that LangChain would make from content and artifact. Without a tool call id, the content alone; a finished message is
 * returned as it is.
 */
export function answerMessage(
  [content, artifact]: ContentAndArtifact,
  { name, toolCallId, metadata = {} }: AnsweredCall,
): ContentAndArtifact[0] {
  const isFinished = typeof content !== "string" && !Array.isArray(content);
  if (isFinished || typeof toolCallId !== "string" || toolCallId === "") return content;
  return new ToolMessage({
    status: "success",
    content,
    artifact,
    tool_call_id: toolCallId,
    name,
    metadata,
  });
}
