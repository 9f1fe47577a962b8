import type { InputOptions, JsonObject } from "@jackfield/mcp-core";
import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";
import { ENVELOPE_KEYS } from "./envelope-keys.ts";

/** Whether questions are given to the caller. A legacy server asks by requests of its own, which are for handlers. */
export function returnsQuestions(client: Client, { inputRequired }: InputOptions): boolean {
  return inputRequired === "return" && client.getProtocolEra() === "modern";
}

/** Parameters together with the answers to earlier questions. */
export function withAnswers<P extends JsonObject | undefined>(
  params: P,
  { inputResponses, requestState }: InputOptions,
): P | JsonObject {
  if (inputResponses === undefined && requestState === undefined) return params;
  return {
    ...params,
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/**
 * Says with one request that the host can be asked: a server asks only whom it may ask, and each request tells it anew (MCP
 * 2026-07-28). Whoever takes the questions himself needs no handler for them.
 */
export function askable(params: JsonObject | undefined, announced: ClientCapabilities): JsonObject {
  const capabilities: ClientCapabilities = { ...announced, elicitation: { form: {}, url: {} } };
  const meta = {
    [ENVELOPE_KEYS.clientCapabilities]: capabilities,
    ...(params?._meta as JsonObject | undefined),
  };
  return { ...params, _meta: meta };
}

/** Questions in the form of a result, so that whatever reads results can read them. */
export function readable(result: JsonObject): JsonObject {
  return result.resultType === "input_required" ? { content: [], inputRequests: {}, ...result } : result;
}
