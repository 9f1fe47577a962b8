import { isRecord, type JsonValue, type ToolCallResult } from "@jackfield/mcp-core";
import {
  classifyResult,
  isFailedCall,
  type MediaSupport,
  type ModelCallResult,
  modelContent,
} from "@jackfield/mcp-tools";
import { ToolMessage } from "@langchain/core/messages";
import { type LangchainBlock, toBlock } from "./content-blocks.ts";

/** The return value of a LangChain tool with `content_and_artifact`. */
export type ContentAndArtifact = [
  content: string | LangchainBlock[] | ToolMessage,
  artifact: ModelCallResult,
];

/** What a message keeps for programs beside what the model reads. */
export type ArtifactKind = "full" | "data" | "rest";

/** How results are written. */
export interface MessageOptions {
  readonly media: MediaSupport;
  readonly artifact: ArtifactKind;
  /** Whether an error is thrown, with its message, and not returned. */
  readonly throwErrors: boolean;
}

/** An error of a tool, for traces and callbacks, with the message that a model reads. */
export class ToolCallFailed extends Error {
  override readonly name = "ToolCallFailed";
  readonly toolMessage: ToolMessage;

  constructor(toolMessage: ToolMessage) {
    super(toolMessage.text, { cause: toolMessage.artifact });
    this.toolMessage = toolMessage;
  }
}

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
 * tool calls. Its text says that it is one, since most packages of providers drop the status.
 *
 * Blocks are standard blocks, but the message is not marked as made of them (`output_version`). The OpenAI provider turns a marked
 * tool message into an assistant message, which leaves the call without an answer, and drops the images in its other API. The older
 * data content blocks (`source_type`) are no alternative: the Anthropic provider sends those of tools twice.
 */
export function contentAndArtifact(
  result: ModelCallResult,
  call: AnsweredCall,
  options: MessageOptions,
): ContentAndArtifact {
  const content = shownContent(result, options.media);
  const artifact = options.artifact === "full" ? result : restOf(result, options);
  if (result.isError !== true) return [content, artifact];
  const { name, toolCallId = "", metadata } = call;
  const message = new ToolMessage({
    content,
    status: "error",
    artifact,
    name,
    tool_call_id: toolCallId,
    ...(metadata === undefined ? {} : { metadata }),
  });
  if (options.throwErrors) throw new ToolCallFailed(message);
  return [message, artifact];
}

/** What a model reads of a result. */
function shownContent(result: ModelCallResult, media: MediaSupport): string | LangchainBlock[] {
  const classified = classifyResult(result);
  const shown = modelContent(classified, media);
  const mark = classified.isError && !isFailedCall(result) ? "The tool reported an error: " : "";
  switch (shown.kind) {
    case "text":
      // The sentence about an error without a message says so itself.
      return classified.parts.length === 0 ? shown.text : mark + shown.text;
    case "data":
      return mark + JSON.stringify(shown.value);
    case "parts":
      return [
        ...(mark === "" ? [] : [{ type: "text" as const, text: mark.trim() }]),
        ...shown.parts.map(toBlock),
      ];
  }
}

/**
 * The artifact without what the message says: texts, and media that it shows. A result stays whole if it has media that the message only names,
 * because a later request may show them to another model.
 */
function restOf(result: ModelCallResult, { media, artifact }: MessageOptions): ModelCallResult {
  const blocks: readonly unknown[] = result.content;
  const unsaid = blocks.filter((block) => !isSaid(block, media));
  const isTextAlone = modelContent(classifyResult(result), media).kind !== "parts";
  if (isTextAlone && unsaid.some(isOfBytes)) return result;
  const { content: _, structuredContent, ...rest } = result as ToolCallResult;
  const data = artifact === "data" ? structuredContent : unrepeatedData(result);
  return {
    ...rest,
    content: unsaid,
    ...(data !== undefined && { structuredContent: data }),
  } as ModelCallResult;
}

/** Whether the message says all of a block. Links are small, and stay for programs that follow them. */
function isSaid(block: unknown, media: MediaSupport): boolean {
  if (!isRecord(block)) return false;
  const classified = classifyResult({ content: [block as never] });
  const [part] = classified.parts;
  if (part === undefined) return !classified.isForUser;
  const { resource, text = isRecord(resource) ? resource.text : undefined } = block;
  // A text that was changed, or that the bytes of the block were read as, is not what the server sent.
  if (part.kind === "text" || part.kind === "resource-text") return part.text === text;
  return part.kind === "media" && modelContent(classified, media).kind === "parts";
}

function unrepeatedData(result: ModelCallResult): JsonValue | undefined {
  return classifyResult(result).parts.find((part) => part.kind === "data")?.value;
}

/**
 * A message with the media that a model takes, whatever was known of the model when it was written: the artifact has them. The same message
 * if there are none, or if something else has changed its content since.
 */
export function withMedia(message: ToolMessage, media: MediaSupport): ToolMessage {
  const { artifact } = message;
  if (!isRecord(artifact) || !Array.isArray(artifact.content) || typeof message.content !== "string")
    return message;
  if (!artifact.content.some(isOfBytes)) return message;
  const content = shownContent(artifact as ModelCallResult, media);
  const isUnchanged = message.content === shownContent(artifact as ModelCallResult, {});
  if (content === message.content || !isUnchanged) return message;
  const { name, tool_call_id, status, id, metadata, additional_kwargs, response_metadata } = message;
  return new ToolMessage({
    content,
    artifact,
    tool_call_id,
    additional_kwargs,
    response_metadata,
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(id === undefined ? {} : { id }),
    ...(metadata === undefined ? {} : { metadata }),
  });
}

function isOfBytes(block: unknown): boolean {
  return isRecord(block) && (block.type === "image" || block.type === "audio" || block.type === "resource");
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
