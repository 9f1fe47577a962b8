import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { exceedsBounds } from "./json-nesting.ts";

/** Deeper or wider messages exist only to break whoever reads them. */
const BOUNDS = { depth: 256, nodes: 1_000_000 };

/**
 * The messages of a JSON text: one, or those of a batch (MCP 2025-03-26).
 *
 * @throws SyntaxError if anything in it is not JSON-RPC.
 */
export function readMessages(text: string): JSONRPCMessage[] {
  if (exceedsBounds(text, BOUNDS))
    throw new SyntaxError("a message is nested too deeply or has too many parts");
  const parsed: unknown = JSON.parse(text);
  const messages: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (!messages.every(isMessage)) throw new SyntaxError("the answer is JSON, but not JSON-RPC");
  return messages as JSONRPCMessage[];
}

function isMessage(value: unknown): boolean {
  if (!isObject(value) || value.jsonrpc !== "2.0") return false;
  const { id, method, params, result, error } = value;
  if (method !== undefined)
    return (
      typeof method === "string" &&
      (id === undefined || isId(id)) &&
      (params === undefined || isObject(params))
    );
  if (result !== undefined) return isId(id) && isObject(result);
  // Whoever could not read a request answers without its id (JSON-RPC 2.0, section 5).
  return (id === undefined || id === null || isId(id)) && isError(error);
}

function isError(value: unknown): boolean {
  return isObject(value) && Number.isInteger(value.code) && typeof value.message === "string";
}

function isId(value: unknown): boolean {
  return typeof value === "string" || Number.isInteger(value);
}

function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
