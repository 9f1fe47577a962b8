import { classifyResult, isMedia, type ModelCallResult, resultText } from "@jackfield/mcp-tools";
import { ToolMessage } from "@langchain/core/messages";
import { type LangchainBlock, toBlock } from "./content-blocks.ts";

/** What a tool of LangChain answers under `content_and_artifact`. */
export type ContentAndArtifact = [
  content: string | LangchainBlock[] | ToolMessage,
  artifact: ModelCallResult,
];

/** The call that is answered. */
export interface AnsweredCall {
  readonly name: string;
  /** Missing where the tool was called by hand, and not by a model. */
  readonly toolCallId?: string | undefined;
  readonly metadata?: Record<string, unknown> | undefined;
}

/**
 * Writes what came of a call, of which LangChain makes a message. An error is a finished message with status `error`, because that
 * is the only form that every set-up treats alike: what a tool throws ends the run as soon as any middleware wraps tool calls.
 *
 * Blocks are standard blocks, but the message is not marked as made of them (`output_version`): of a tool message that is, the
 * OpenAI provider makes a message of the model's, and the call is without an answer; in its other API the images are gone. The
 * older data content blocks (`source_type`) are no way out: the Anthropic provider sends those of tools twice.
 */
export function contentAndArtifact(result: ModelCallResult, call: AnsweredCall): ContentAndArtifact {
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

/**
 * The message that LangChain makes of content and artifact under `content_and_artifact`; the content alone where no model asked, and
 * a message that is finished as it is.
 */
export function answerMessage(
  [content, artifact]: ContentAndArtifact,
  { name, toolCallId, metadata = {} }: AnsweredCall,
): ContentAndArtifact[0] {
  if (typeof toolCallId !== "string" || toolCallId === "") return content;
  if (typeof content !== "string" && !Array.isArray(content)) return content;
  return new ToolMessage({
    status: "success",
    content,
    artifact,
    tool_call_id: toolCallId,
    name,
    metadata,
  });
}
