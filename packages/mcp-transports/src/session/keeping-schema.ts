import type { JsonObject } from "@jackfield/mcp-core";
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import type { Sdk } from "../sdk.ts";
import { isPlainResult, isRecord } from "./plain-result.ts";
import { isPlainToolList } from "./plain-tools.ts";

/** The SDK's names of the schemas that our requests are answered by. */
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

type PlainCheck = (value: unknown) => value is JsonObject;

/** What needs no schema, of methods whose answers are many or large, or come before the SDK is there. */
const PLAIN = {
  "tools/list": isPlainToolList,
  "tools/call": isPlainResult,
  ping: isEmptyResult,
} as const satisfies { readonly [M in AnsweredMethod]?: PlainCheck };

/** Requests whose answers are recognised without the SDK, nearly always. */
export type PlainMethod = keyof typeof PLAIN;

export function isPlainAnswerTo(method: PlainMethod): PlainCheck {
  return PLAIN[method];
}

function isEmptyResult(value: unknown): value is JsonObject {
  return isRecord(value) && Object.keys(value).length === 0;
}

/**
 * Checks an answer as the SDK would, but lets it pass as it was sent: the SDK's own schemas drop every field they do not
 * know. What they add at the top, such as the missing `content` of a result, is kept.
 */
export function keepingSchema(sdk: Sdk, method: AnsweredMethod): StandardSchemaV1<unknown, JsonObject> {
  const isPlain: PlainCheck | undefined = (PLAIN as { readonly [M in AnsweredMethod]?: PlainCheck })[method];
  // The SDK makes a schema when it is first asked for one, which takes longer than most answers.
  const checkAndKeep = async (value: unknown): Promise<StandardSchemaV1.Result<JsonObject>> => {
    const outcome = await sdk.specTypeSchemas[RESULTS[method]]["~standard"].validate(value);
    if (outcome.issues) return { issues: outcome.issues };
    return { value: { ...outcome.value, ...(value as JsonObject) } };
  };
  return {
    "~standard": {
      version: 1,
      vendor: "jackfield",
      validate: (value) => (isPlain?.(value) ? { value } : checkAndKeep(value)),
    },
  };
}
