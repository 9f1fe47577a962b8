import { isRecord, type JsonObject, type SessionMethod } from "@jackfield/mcp-core";
import { ProtocolFault } from "../faults.ts";

// Servers are many and careless, and whoever waits for an answer wants what it says. So a reader refuses only what cannot be
// used, completes what can have only one meaning, and keeps everything else as it was sent.

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** The member of each list that holds its items. */
export const LIST_MEMBERS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const;

/** A request for a page of a list. */
export type ListMethod = keyof typeof LIST_MEMBERS;

/** A request with an answer of its own form. */
export type AnsweredMethod = SessionMethod | ListMethod;

export function isListMethod(method: string): method is ListMethod {
  return method in LIST_MEMBERS;
}

/**
 * Reads the result of a request.
 *
 * @throws ProtocolFault `invalid` if it cannot be used
 */
export function readResult(method: string, result: JsonObject): JsonObject {
  if (isListMethod(method)) {
    const member = LIST_MEMBERS[method];
    return Array.isArray(result[member]) ? result : refuse(method, `"${member}" is not a list`);
  }
  switch (method) {
    case "tools/call":
      return readToolResult(result);
    case "resources/read":
      return isListOfRecords(result.contents)
        ? result
        : refuse(method, '"contents" is not a list of contents');
    case "prompts/get":
      return readPrompt(result);
    case "completion/complete":
      return readCompletion(result);
    default:
      return result;
  }
}

function refuse(method: string, reason: string): never {
  throw new ProtocolFault("invalid", `in its answer to ${method}, ${reason}`);
}

/**
 * The tool has run, so nothing that it says is thrown away: blocks stay as they are, whatever their kind, and adapters know how to
 * show those that they do not know. A block without a list around it is a list of one.
 */
function readToolResult(result: JsonObject): JsonObject {
  const { content, isError, structuredContent, _meta } = result;
  const isUsual =
    isListOfRecords(content) &&
    (isError === undefined || typeof isError === "boolean") &&
    structuredContent !== null &&
    (_meta === undefined || isRecord(_meta));
  if (isUsual) return result;
  const read: JsonObject = { ...result, content: blocksOf(content) };
  if (typeof isError !== "boolean") delete read.isError;
  if (structuredContent === null) delete read.structuredContent;
  if (!isRecord(_meta)) delete read._meta;
  return read;
}

function blocksOf(content: unknown): JsonObject[] {
  if (content === undefined || content === null) return [];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.map((block) => (isRecord(block) ? (block as JsonObject) : textBlock(block)));
}

function textBlock(value: unknown): JsonObject {
  return { type: "text", text: isText(value) ? value : JSON.stringify(value) };
}

function readPrompt(result: JsonObject): JsonObject {
  const { messages } = result;
  if (!Array.isArray(messages) || !messages.every(isRecord))
    return refuse("prompts/get", '"messages" is not a list of messages');
  if (messages.every(({ content }) => isRecord(content))) return result;
  const single = messages.flatMap((message) =>
    blocksOf(message.content).map((content) => ({ ...message, content })),
  );
  return { ...result, messages: single };
}

/** MCP, "Completion Results". */
const MOST_VALUES = 100;

function readCompletion(result: JsonObject): JsonObject {
  const { completion } = result;
  if (!isRecord(completion) || !Array.isArray(completion.values) || !completion.values.every(isText))
    return refuse("completion/complete", '"completion" has no list of values');
  if (completion.values.length <= MOST_VALUES) return result;
  const values = completion.values.slice(0, MOST_VALUES);
  return { ...result, completion: { ...completion, values, hasMore: true } };
}

function isListOfRecords(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.every(isRecord);
}

/** Removes the member that says, in the modern era, what kind of result this is. In the legacy era it means nothing. */
export function withoutType(result: JsonObject): JsonObject {
  if (!("resultType" in result)) return result;
  const { resultType: _, ...rest } = result;
  return rest;
}
