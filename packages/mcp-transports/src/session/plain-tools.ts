import type { JsonObject } from "@jackfield/mcp-core";
import { isPlainMeta, isRecord } from "./plain-result.ts";

/**
 * Whether an answer to `tools/list`, as it was read from JSON, is of the kind nearly every one is: one that the SDK's schema lets
 * pass, without icons and without anything that needs a closer look. That schema makes copies of all of it, and looks into each
 * value of each parameter: with ten thousand tools it takes more time and memory than the tools themselves.
 */
export function isPlainToolList(value: unknown): value is JsonObject {
  if (!isRecord(value) || !isText(value.nextCursor)) return false;
  if (value._meta !== undefined && !isPlainMeta(value._meta)) return false;
  return Array.isArray(value.tools) && value.tools.every(isPlainTool);
}

function isPlainTool(tool: unknown): boolean {
  if (!isRecord(tool) || typeof tool.name !== "string") return false;
  const { title, description, icons, execution, _meta, outputSchema = {}, annotations = {} } = tool;
  return (
    isText(title) &&
    isText(description) &&
    icons === undefined &&
    execution === undefined &&
    (_meta === undefined || isRecord(_meta)) &&
    isObjectSchema(tool.inputSchema) &&
    isRecord(outputSchema) &&
    isText(outputSchema.$schema) &&
    isRecord(annotations) &&
    isText(annotations.title) &&
    HINTS.every((hint) => annotations[hint] === undefined || typeof annotations[hint] === "boolean")
  );
}

function isObjectSchema(schema: unknown): boolean {
  if (!isRecord(schema) || schema.type !== "object") return false;
  const { properties, required } = schema;
  return (
    (properties === undefined || isRecord(properties)) &&
    (required === undefined ||
      (Array.isArray(required) && required.every((name) => typeof name === "string")))
  );
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
