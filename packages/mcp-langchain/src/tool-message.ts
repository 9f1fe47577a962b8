import {
  classifyResult,
  isMedia,
  type ModelCallResult,
  partText,
  type ResultPart,
  resultText,
} from "@jackfield/mcp-tools";
import { type ContentBlock, ToolMessage } from "@langchain/core/messages";

/** Content of a message: a text, or LangChain's standard blocks. */
export type LangchainContent = string | ContentBlock[];

/** What a tool of LangChain answers under `content_and_artifact`. */
export type ContentAndArtifact = [content: LangchainContent | ToolMessage, artifact: ModelCallResult];

/** The call that is answered, where the tool was called by a model and not by hand. */
export interface AnsweredCall {
  readonly name: string;
  readonly toolCallId?: string | undefined;
}

/**
 * Writes what came of a call. An answer is content, of which LangChain makes a message; an error is a finished message
 * with status `error`, because that is the only form that every set-up treats alike: what a tool throws ends the run as
 * soon as any middleware wraps tool calls.
 */
export function contentAndArtifact(result: ModelCallResult, call: AnsweredCall): ContentAndArtifact {
  const classified = classifyResult(result);
  const content = classified.parts.some(isMedia) ? classified.parts.map(toBlock) : resultText(classified);
  if (!classified.isError) return [content, result];
  const message = new ToolMessage({
    status: "error",
    content,
    artifact: result,
    name: call.name,
    tool_call_id: call.toolCallId ?? "",
  });
  return [message, result];
}

function toBlock(part: ResultPart): ContentBlock {
  if (!isMedia(part)) return { type: "text", text: partText(part) };
  const type = part.kind === "resource-blob" ? blockType(part.mimeType) : part.kind;
  return { type, mimeType: part.mimeType, data: part.data };
}

/** Images, sounds and videos have blocks of their own; everything else is a file. */
function blockType(mimeType: string): string {
  return /^(image|audio|video)\//i.exec(mimeType)?.[1]?.toLowerCase() ?? "file";
}
