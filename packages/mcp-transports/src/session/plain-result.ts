import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import {
  isFlagOrMissing,
  isListOf,
  isRecordOrMissing,
  isRole,
  isText,
  isTextOrMissing,
} from "../plain-values.ts";
import { areResourceContents, isPlainBlock } from "./plain-content.ts";

/**
 * Whether an answer to a tool call is complete and has the common form. Only other answers go through the SDK's schemas, which cost
 * more than the rest of a call.
 */
export function isPlainResult(value: unknown): value is JsonObject {
  if (!isRecord(value)) return false;
  // Parsed JSON has no inherited members, and `for…in` makes no list of the keys.
  for (const member in value) {
    const content = value[member];
    if (member === "content") {
      if (!Array.isArray(content) || !content.every(isPlainBlock)) return false;
    } else if (member === "isError") {
      if (typeof content !== "boolean") return false;
    } else if (member === "_meta") {
      if (!isRecord(content)) return false;
    } else if (member !== "structuredContent") return false;
  }
  return "content" in value;
}

/** Whether an answer is an empty object. */
export function isEmptyResult(value: unknown): value is JsonObject {
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Whether an answer to `resources/read` has the common form. */
export function isPlainReading(value: unknown): value is JsonObject {
  return isRecord(value) && isRecordOrMissing(value._meta) && isListOf(value.contents, areResourceContents);
}

/** The same for `prompts/get`. */
export function isPlainPromptResult(value: unknown): value is JsonObject {
  if (!isRecord(value)) return false;
  const { description, messages, _meta } = value;
  return isTextOrMissing(description) && isRecordOrMissing(_meta) && isListOf(messages, isPromptMessage);
}

function isPromptMessage(message: unknown): boolean {
  return isRecord(message) && isRole(message.role) && isPlainBlock(message.content);
}

/** The same for `completion/complete`. */
export function isPlainCompletion(value: unknown): value is JsonObject {
  if (!isRecord(value) || !isRecordOrMissing(value._meta) || !isRecord(value.completion)) return false;
  const { values, total, hasMore } = value.completion;
  return (
    isListOf(values, isText) &&
    (values as readonly string[]).length <= MOST_VALUES &&
    (total === undefined || Number.isSafeInteger(total)) &&
    isFlagOrMissing(hasMore)
  );
}

/** MCP, "Completion Results". */
const MOST_VALUES = 100;
