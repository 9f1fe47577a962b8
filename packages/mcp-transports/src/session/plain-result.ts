import type { JsonObject } from "@jackfield/mcp-core";
import { ENVELOPE_KEYS } from "./envelope-keys.ts";

/**
 * Whether an answer to a tool call is of the kind nearly every one is: plain texts, and nothing whose shape has to be looked
 * into. Only what this does not recognise goes through the schemas of the SDK, which cost more than all the rest of a call.
 */
export function isPlainResult(value: unknown): value is JsonObject {
  if (!isRecord(value)) return false;
  // What was read from JSON has no members but its own, and a list of them need not be made.
  for (const member in value) {
    const content = value[member];
    if (member === "content") {
      if (!Array.isArray(content) || !content.every(isPlainText)) return false;
    } else if (member === "isError") {
      if (typeof content !== "boolean") return false;
    } else if (member === "structuredContent") {
      if (!isRecord(content)) return false;
    } else if (member !== "_meta" || !isPlainMeta(content)) return false;
  }
  return "content" in value;
}

/** Whether what a result says of itself is who gave it, as a server of the modern era says in each (MCP 2026-07-28). */
export function isPlainMeta(value: unknown): boolean {
  if (!isRecord(value)) return false;
  for (const key in value) if (key !== ENVELOPE_KEYS.serverInfo) return false;
  return true;
}

function isPlainText(block: unknown): boolean {
  if (!isRecord(block) || block.type !== "text" || typeof block.text !== "string") return false;
  let members = 0;
  for (const _ in block) members += 1;
  return members === 2;
}

/** Whether a value is an object, and no list. */
export function isRecord(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
