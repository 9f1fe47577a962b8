import { isRecord, type JsonObject } from "@jackfield/mcp-core";
import {
  areAnnotationsOrMissing,
  areIconsOrMissing,
  isFlagOrMissing,
  isListOf,
  isRecordOrMissing,
  isText,
  isTextOrMissing,
} from "../plain-values.ts";

// The SDK's schemas copy a list and check each value of each parameter. With ten thousand tools, that takes more time and memory than
// the tools themselves.

type Check = (value: unknown) => value is JsonObject;

/** For each list, whether the SDK's schema accepts an item of it. */
export const PLAIN_ITEM_CHECKS: { readonly [method: string]: (item: unknown) => boolean } = {
  "tools/list": isPlainTool,
  "resources/list": isPlainResource,
  "resources/templates/list": isPlainTemplate,
  "prompts/list": isPlainPrompt,
};

/** Whether a parsed answer to `tools/list` is one that the SDK's schema accepts, as nearly every one is. */
export const isPlainToolList = listCheck("tools", isPlainTool);
/** The same for `resources/list`. */
export const isPlainResourceList = listCheck("resources", isPlainResource);
/** The same for `resources/templates/list`. */
export const isPlainTemplateList = listCheck("resourceTemplates", isPlainTemplate);
/** The same for `prompts/list`. */
export const isPlainPromptList = listCheck("prompts", isPlainPrompt);

function listCheck(kind: string, isItem: (item: unknown) => boolean): Check {
  return (value): value is JsonObject =>
    isRecord(value) &&
    isTextOrMissing(value.nextCursor) &&
    isRecordOrMissing(value._meta) &&
    isListOf(value[kind], isItem);
}

function isPlainTool(tool: unknown): boolean {
  if (!isRecord(tool) || !isDescribed(tool)) return false;
  const { execution, outputSchema = {}, annotations = {} } = tool;
  return (
    isObjectSchema(tool.inputSchema) &&
    isRecord(outputSchema) &&
    isTextOrMissing(outputSchema.$schema) &&
    isRecord(annotations) &&
    isTextOrMissing(annotations.title) &&
    HINTS.every((hint) => isFlagOrMissing(annotations[hint])) &&
    (execution === undefined || isExecution(execution))
  );
}

/** Whether a resource, or a link to one, is plain. */
export function isPlainResource(resource: unknown): boolean {
  if (!isRecord(resource) || !isDescribed(resource)) return false;
  const { uri, mimeType, size, annotations } = resource;
  return (
    isText(uri) &&
    isTextOrMissing(mimeType) &&
    (size === undefined || Number.isFinite(size)) &&
    areAnnotationsOrMissing(annotations)
  );
}

function isPlainTemplate(template: unknown): boolean {
  if (!isRecord(template) || !isDescribed(template)) return false;
  const { uriTemplate, mimeType, annotations } = template;
  return isText(uriTemplate) && isTextOrMissing(mimeType) && areAnnotationsOrMissing(annotations);
}

function isPlainPrompt(prompt: unknown): boolean {
  if (!isRecord(prompt) || !isDescribed(prompt)) return false;
  return prompt.arguments === undefined || isListOf(prompt.arguments, isPromptArgument);
}

function isPromptArgument(argument: unknown): boolean {
  if (!isRecord(argument)) return false;
  const { name, description, required } = argument;
  return isText(name) && isTextOrMissing(description) && isFlagOrMissing(required);
}

/** Checks what every item of a list has, or may have. */
function isDescribed({ name, title, description, icons, _meta }: { readonly [member: string]: unknown }) {
  return (
    isText(name) &&
    isTextOrMissing(title) &&
    isTextOrMissing(description) &&
    areIconsOrMissing(icons) &&
    isRecordOrMissing(_meta)
  );
}

function isObjectSchema(schema: unknown): boolean {
  if (!isRecord(schema) || schema.type !== "object") return false;
  const { $schema, properties, required } = schema;
  return (
    isTextOrMissing($schema) &&
    isRecordOrMissing(properties) &&
    (required === undefined || isListOf(required, isText))
  );
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Servers built with the official SDK say of every tool that it cannot run as a task. */
function isExecution(execution: unknown): boolean {
  return isRecord(execution) && (TASK_SUPPORT as readonly unknown[]).includes(execution.taskSupport);
}

const TASK_SUPPORT = [undefined, "forbidden", "optional", "required"];
