import type { Handshake, InputOptions, JsonObject, ToolDefinition } from "@jackfield/mcp-core";
import type { ClientCapabilities, Tool, Transport } from "@modelcontextprotocol/client";
import type { ClientAccess, SdkConnection } from "./client-access.ts";
import { askable, readable, returnsInputRequests, withAnswers } from "./input-required.ts";
import { type AnsweredMethod, keepingSchema } from "./keeping-schema.ts";
import { hasMarks } from "./mirrored-parameters.ts";
import type { Watch } from "./wire-watch.ts";

export interface OutgoingRequest {
  readonly method: AnsweredMethod;
  readonly params?: JsonObject | undefined;
  /** Sent as `_meta`. */
  readonly meta?: JsonObject | undefined;
  /** For a `tools/call` whose marked parameters are repeated in headers: the definition that marks them. */
  readonly tool?: ToolDefinition | undefined;
  /** How to treat input requests in its answer, and the answers to earlier ones. */
  readonly input?: InputOptions | undefined;
  /** The capabilities that the session has announced. */
  readonly announced?: ClientCapabilities | undefined;
}

/** Makes a request through the SDK's client, without its caches and without its checks of server-given schemas. */
export function sendRequest(
  clients: ClientAccess,
  request: OutgoingRequest,
  watch: Watch,
): Promise<JsonObject> {
  const { current } = clients;
  if (current) return send(current, request, watch);
  return clients.get().then((connection) => send(connection, request, watch));
}

async function send(
  { sdk, client }: SdkConnection,
  { method, params, meta, tool, input = {}, announced = {} }: OutgoingRequest,
  watch: Watch,
): Promise<JsonObject> {
  const plain = withAnswers(meta ? { ...params, _meta: meta } : params, input);
  const allowInputRequired = returnsInputRequests(client, input);
  const sent = allowInputRequired ? askable(plain, announced) : plain;
  const options = { ...watch.options, allowInputRequired };
  if (tool && hasMarks(tool)) {
    // Only the SDK's `callTool` knows how to repeat them.
    // It is not given the output schema, because it would compile and run what the server sent.
    const { outputSchema: _, ...toolDefinition } = tool;
    const call = sent as { name: string; arguments?: JsonObject };
    return readable(await client.callTool(call, { ...options, toolDefinition: toolDefinition as Tool }));
  }
  const schema = keepingSchema(sdk, method);
  return readable(await client.request({ method, ...(sent && { params: sent }) }, schema, options));
}

/** SEP-2243: over HTTP, from 2026-07-28 on, marked parameters are repeated in headers. */
export function mirrorsParameters(era: Handshake["era"], transport: Transport): boolean {
  return era === "modern" && transport.hasPerRequestStream === true;
}
