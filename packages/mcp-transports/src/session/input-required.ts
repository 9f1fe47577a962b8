import type { InputOptions, JsonObject } from "@jackfield/mcp-core";
import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";
import { ENVELOPE_KEYS } from "./envelope-keys.ts";

/** Whether input requests are returned to the caller. A legacy server asks by requests of its own, which handlers answer. */
export function returnsInputRequests(client: Client, { inputRequired }: InputOptions): boolean {
  return inputRequired === "return" && client.getProtocolEra() === "modern";
}

/** Parameters together with the answers to earlier input requests. */
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
 * Announces in one request that the client can be asked. A server asks only if the request's own capabilities allow it (MCP
 * 2026-07-28), and a caller that takes the input requests itself needs no handler for them.
 */
export function askable(params: JsonObject | undefined, announced: ClientCapabilities): JsonObject {
  const capabilities: ClientCapabilities = { ...announced, elicitation: { form: {}, url: {} } };
  const meta = {
    [ENVELOPE_KEYS.clientCapabilities]: capabilities,
    ...(params?._meta as JsonObject | undefined),
  };
  return { ...params, _meta: meta };
}

/** Gives input requests the form of a result, so that code that reads results can read them. */
export function readable(result: JsonObject): JsonObject {
  return result.resultType === "input_required" ? { content: [], inputRequests: {}, ...result } : result;
}
