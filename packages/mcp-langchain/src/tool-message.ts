import {
  classifyResult,
  isMedia,
  type ModelCallResult,
  resultText,
  type ToolMetadata,
} from "@jackfield/mcp-tools";
import { ToolMessage } from "@langchain/core/messages";
import { type LangchainBlock, standardContent, toBlock } from "./content-blocks.ts";

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
  readonly metadata?: ToolMetadata | undefined;
}

/**
 * Writes what came of a call. A text is content, of which LangChain makes a message.
 *
 * An error is a finished message with status `error`, because that is the only form that every set-up treats alike: what a
 * tool throws ends the run as soon as any middleware wraps tool calls. Images and files are a finished message too, because
 * LangChain does not mark those it makes of blocks as standard blocks (`output_version`), and providers then hand the blocks
 * on as they are, to models that do not know them.
 */
export function contentAndArtifact(result: ModelCallResult, call: AnsweredCall): ContentAndArtifact {
  const classified = classifyResult(result);
  const { parts, isError } = classified;
  const content = parts.some(isMedia) ? parts.map(toBlock) : resultText(classified);
  const isByHand = call.toolCallId === undefined;
  if (!isError && (typeof content === "string" || isByHand)) return [content, result];
  const message = new ToolMessage({
    ...(typeof content === "string" ? { content } : standardContent(content)),
    status: isError ? "error" : "success",
    artifact: result,
    name: call.name,
    tool_call_id: call.toolCallId ?? "",
    ...(call.metadata === undefined ? {} : { metadata: call.metadata }),
  });
  return [message, result];
}
