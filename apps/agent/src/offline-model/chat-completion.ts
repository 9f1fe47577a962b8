import { type ChatReply, OFFLINE_MODEL } from "./chat-reply.ts";
import type { ChatRequest } from "./chat-request.ts";

/** The id and time of a completion; the reply does not depend on them. */
export interface CompletionStamp {
  readonly id: string;
  /** Epoch seconds, as the format wants it. */
  readonly created: number;
}

/** Characters of text or arguments in one chunk of a stream: small, so that readers have to put them together. */
const CHUNK_CHARACTERS = 24;

/** A reply as the body of an ordinary answer (`chat.completion`). */
export function completionBody(request: ChatRequest, reply: ChatReply, stamp: CompletionStamp): object {
  const message =
    reply.kind === "text"
      ? { role: "assistant", content: reply.text }
      : { role: "assistant", content: null, tool_calls: [toolCall(reply, JSON.stringify(reply.args))] };
  return {
    ...stamp,
    object: "chat.completion",
    model: OFFLINE_MODEL,
    choices: [{ index: 0, message, finish_reason: finishReason(reply), logprobs: null }],
    usage: estimateUsage(request, reply),
  };
}

/** A reply as the objects of a stream (`chat.completion.chunk`), without the closing `[DONE]`. */
export function completionChunks(request: ChatRequest, reply: ChatReply, stamp: CompletionStamp): object[] {
  const frame = { ...stamp, object: "chat.completion.chunk", model: OFFLINE_MODEL };
  const chunk = (delta: object, reason: string | null = null) => ({
    ...frame,
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...(request.includeUsage ? { usage: null } : {}),
  });
  const chunks = [...deltas(reply).map((delta) => chunk(delta)), chunk({}, finishReason(reply))];
  return request.includeUsage
    ? [...chunks, { ...frame, choices: [], usage: estimateUsage(request, reply) }]
    : chunks;
}

function deltas(reply: ChatReply): object[] {
  if (reply.kind === "text") {
    const first = { role: "assistant", content: "" };
    return [first, ...pieces(reply.text).map((content) => ({ content }))];
  }
  const first = { role: "assistant", content: null, tool_calls: [{ index: 0, ...toolCall(reply, "") }] };
  const rest = pieces(JSON.stringify(reply.args)).map((text) => ({
    tool_calls: [{ index: 0, function: { arguments: text } }],
  }));
  return [first, ...rest];
}

function toolCall(reply: Extract<ChatReply, { kind: "tool-call" }>, args: string): object {
  return { id: reply.id, type: "function", function: { name: reply.name, arguments: args } };
}

function finishReason(reply: ChatReply): string {
  return reply.kind === "text" ? "stop" : "tool_calls";
}

/** Splits a text between whole characters. */
function pieces(text: string): string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / CHUNK_CHARACTERS);
  return Array.from({ length: count }, (_, i) =>
    characters.slice(i * CHUNK_CHARACTERS, (i + 1) * CHUNK_CHARACTERS).join(""),
  );
}

/** There is no tokenizer here: four characters count as one token. */
function estimateUsage(request: ChatRequest, reply: ChatReply): object {
  const replyText = reply.kind === "text" ? reply.text : JSON.stringify(reply.args);
  const promptTokens = Math.ceil(JSON.stringify([request.messages, request.tools]).length / 4);
  const completionTokens = Math.ceil(replyText.length / 4);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
