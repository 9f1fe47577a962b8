import { isRecord } from "@jackfield/mcp-core";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { ALWAYS_WITHIN_BOUNDS, findExcess } from "../message-check.ts";
import { headerOf, type IncomingHeaders } from "./http-wire.ts";

/**
 * The messages of a JSON text: one, or those of a batch (MCP 2025-03-26). An answer that names its request is not checked further here:
 * pass it to `soundMessage`.
 *
 * @throws SyntaxError if anything in it is not JSON-RPC, or it is nested too deep or has too many parts.
 */
export function readMessages(text: string): JSONRPCMessage[] {
  const parsed: unknown = JSON.parse(text);
  const excess = text.length > ALWAYS_WITHIN_BOUNDS ? findExcess(parsed) : undefined;
  if (excess !== undefined) throw new SyntaxError(excess);
  const messages: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (!messages.every(isMessage)) throw new SyntaxError("the answer is JSON, but not JSON-RPC");
  return messages as JSONRPCMessage[];
}

function isMessage(value: unknown): boolean {
  if (!isRecord(value) || value.jsonrpc !== "2.0") return false;
  const { id, method, params, error } = value;
  if (method !== undefined)
    return (
      typeof method === "string" &&
      (id === undefined || isId(id)) &&
      (params === undefined || isRecord(params))
    );
  if (isId(id)) return true;
  // A server that could not read a request answers without its id (JSON-RPC 2.0, section 5).
  return (id === undefined || id === null) && isError(error);
}

function isError(value: unknown): boolean {
  return isRecord(value) && Number.isInteger(value.code) && typeof value.message === "string";
}

function isId(value: unknown): boolean {
  return typeof value === "string" || Number.isInteger(value);
}

/** The media type without its parameters, in lower case; empty where none is given. Of several, as a gateway adds its own, the first. */
export function mediaTypeOf(headers: IncomingHeaders): string {
  return (headerOf(headers, "content-type") ?? "").split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";
}

export function isEventStream(headers: IncomingHeaders): boolean {
  return mediaTypeOf(headers) === "text/event-stream";
}
