import type { JsonObject } from "@jackfield/mcp-core";
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import type { Sdk } from "../sdk.ts";
import {
  isPlainPromptList,
  isPlainResourceList,
  isPlainTemplateList,
  isPlainToolList,
} from "./plain-lists.ts";
import {
  isEmptyResult,
  isPlainCompletion,
  isPlainPromptResult,
  isPlainReading,
  isPlainResult,
} from "./plain-result.ts";

/** The SDK's names of the schemas for results. */
type ResultName = keyof Sdk["specTypeSchemas"] & `${string}Result`;

const RESULTS = {
  "tools/list": "ListToolsResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "prompts/list": "ListPromptsResult",
  "tools/call": "CallToolResult",
  "resources/read": "ReadResourceResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
  "logging/setLevel": "EmptyResult",
  ping: "EmptyResult",
} as const satisfies { [method: string]: ResultName };

/** Requests whose answers we know how to check. */
export type AnsweredMethod = keyof typeof RESULTS;

/** Recognise the common form of each answer without a schema. */
const PLAIN: { readonly [M in AnsweredMethod]: (value: unknown) => value is JsonObject } = {
  "tools/list": isPlainToolList,
  "resources/list": isPlainResourceList,
  "resources/templates/list": isPlainTemplateList,
  "prompts/list": isPlainPromptList,
  "tools/call": isPlainResult,
  "resources/read": isPlainReading,
  "resources/subscribe": isEmptyResult,
  "resources/unsubscribe": isEmptyResult,
  "prompts/get": isPlainPromptResult,
  "completion/complete": isPlainCompletion,
  "logging/setLevel": isEmptyResult,
  ping: isEmptyResult,
};

/** A check that recognises answers for which the SDK is not needed. */
export function isPlainAnswerTo(method: AnsweredMethod): (value: unknown) => value is JsonObject {
  return PLAIN[method];
}

/**
 * Checks an answer as the SDK would, but returns it as it was sent: the SDK's own schemas drop every field they do not know.
 * What they add at the top, such as the missing `content` of a result, is kept.
 */
export function keepingSchema(sdk: Sdk, method: AnsweredMethod): StandardSchemaV1<unknown, JsonObject> {
  const isPlain = isPlainAnswerTo(method);
  // The SDK builds a schema on first use, which takes longer than most answers.
  const checkAndKeep = async (value: unknown): Promise<StandardSchemaV1.Result<JsonObject>> => {
    const outcome = await sdk.specTypeSchemas[RESULTS[method]]["~standard"].validate(value);
    if (outcome.issues) return { issues: outcome.issues };
    return { value: { ...outcome.value, ...(value as JsonObject) } };
  };
  return {
    "~standard": {
      version: 1,
      vendor: "jackfield",
      validate: (value) => (isPlain(value) ? { value } : checkAndKeep(value)),
    },
  };
}
