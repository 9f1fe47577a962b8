import type { JsonObject, ToolDefinition } from "@jackfield/mcp-core";
import type { Client, RequestOptions as SdkRequestOptions, Tool } from "@modelcontextprotocol/client";
import type { Sdk } from "../sdk.ts";
import { type AnsweredMethod, keepingSchema } from "./keeping-schema.ts";

export interface OutgoingRequest {
  readonly method: AnsweredMethod;
  readonly params?: JsonObject | undefined;
  /** Sent as `_meta`. */
  readonly meta?: JsonObject | undefined;
  /** Of a `tools/call`: the definition whose parameters may have to be mirrored into headers. */
  readonly tool?: ToolDefinition | undefined;
}

/** Hands a request to the SDK. Its caches and its checks of server-given schemas stay out of it. */
export async function sendRequest(
  sdk: Sdk,
  client: Client,
  { method, params, meta, tool }: OutgoingRequest,
  options: SdkRequestOptions,
): Promise<JsonObject> {
  const sent = meta ? { ...params, _meta: meta } : params;
  if (tool && mirrorsParameters(client, tool)) {
    // Without its output schema, because the SDK would compile and run what the server gave.
    const { outputSchema: _, ...toolDefinition } = tool;
    const call = sent as { name: string; arguments?: JsonObject };
    return client.callTool(call, { ...options, toolDefinition: toolDefinition as Tool });
  }
  return client.request({ method, ...(sent && { params: sent }) }, keepingSchema(sdk, method), options);
}

/** SEP-2243: from 2026-07-28 on, marked parameters are repeated in headers. Only the SDK's own call knows how. */
function mirrorsParameters(client: Client, tool: ToolDefinition): boolean {
  const isHttp = client.transport?.hasPerRequestStream === true;
  const mayMirror = isHttp && client.getProtocolEra() === "modern";
  return mayMirror && JSON.stringify(tool.inputSchema).includes('"x-mcp-header"');
}
