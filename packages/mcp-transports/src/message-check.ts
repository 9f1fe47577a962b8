import { isRecord } from "@jackfield/mcp-core";
import type { JSONRPCErrorResponse, JSONRPCMessage, RequestId } from "@modelcontextprotocol/client";
import { INTERNAL_ERROR } from "./faults.ts";

/** The `data` of an error that replaces an invalid answer. */
export const UNSOUND_ANSWER = Symbol("unsound answer");

/** The members of an answer, with unchecked values. */
interface AnswerMembers {
  readonly jsonrpc?: unknown;
  readonly id: RequestId;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * Checks each incoming message before anything else reads it. An answer that is not JSON-RPC would leave its request waiting in
 * vain. An error replaces it, so that the request fails at once. An answer that is nested too deep or has too many
 * parts is replaced as well; for any other such message, the result is `undefined`. `characters`: the length of the text that it was parsed from.
 */
export function checkMessage(
  message: JSONRPCMessage,
  characters = Number.POSITIVE_INFINITY,
): JSONRPCMessage | undefined {
  const excess = characters > ALWAYS_WITHIN_BOUNDS ? findExcess(message) : undefined;
  if (excess !== undefined) return isAnswer(message) ? unsoundAnswer(message.id, excess) : undefined;
  return soundMessage(message);
}

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
  withoutNulls(value);
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

/** Removes what is `null` in a parsed message and may be left out: `method`, `params`, and the id of what is no answer. */
export function withoutNulls(message: { [member: string]: unknown }): void {
  if (message.method === null) delete message.method;
  if (message.params === null) delete message.params;
  if (message.id === null && typeof message.method === "string") delete message.id;
}

/** Replaces an answer that is not JSON-RPC as it is. Any other message is returned unchanged. */
export function soundMessage(message: JSONRPCMessage): JSONRPCMessage {
  return isPlainAnswer(message) || !isAnswer(message) ? message : checkAnswer(message);
}

/** Whether an answer has the most common form: a result and nothing else. */
function isPlainAnswer(message: object): boolean {
  const { jsonrpc, id, result }: Partial<AnswerMembers> = message;
  if (jsonrpc !== "2.0" || !isId(id) || !isRecord(result)) return false;
  for (const member in message)
    if (member !== "jsonrpc" && member !== "id" && member !== "result") return false;
  return true;
}

/** Whether a message answers a request, with a result or an error. */
export function isAnswer(message: object): message is AnswerMembers {
  return "id" in message && !("method" in message);
}

/** The error that replaces an unusable answer. The request may have been carried out. */
export function unsoundAnswer(id: RequestId, reason: string): JSONRPCMessage {
  const error = { code: INTERNAL_ERROR, message: reason, data: UNSOUND_ANSWER };
  return { jsonrpc: "2.0", id, error };
}

/** Tolerates what some servers do: write a missing member as `null`, or add members of their own. */
function checkAnswer({ id, result, error }: AnswerMembers): JSONRPCMessage {
  const hasError = error !== undefined && error !== null;
  if (hasError && result !== undefined && result !== null)
    return unsoundAnswer(id, "it has both a result and an error");
  // A server that could not read a request does not know its id (JSON-RPC 2.0, section 5).
  if (hasError && (isId(id) || id === null) && isError(error)) return { jsonrpc: "2.0", id, error };
  if (!hasError && isId(id) && isRecord(result)) return { jsonrpc: "2.0", id, result };
  return unsoundAnswer(id, hasError ? "its error is malformed" : "its result is not an object");
}

const isId = (id: unknown): id is RequestId => Number.isSafeInteger(id) || typeof id === "string";

function isError(error: unknown): error is JSONRPCErrorResponse["error"] {
  return isRecord(error) && Number.isSafeInteger(error.code) && typeof error.message === "string";
}

/** Deeper than any honest message, and far below the thousands of levels at which recursive programs run out of stack. */
const DEEPEST_NESTING = 256;

/** Objects and lists in total. A list of ten thousand tools has a tenth of that. */
const MOST_PARTS = 1_000_000;

/** A JSON text of at most this many characters cannot exceed the bounds. */
const ALWAYS_WITHIN_BOUNDS = DEEPEST_NESTING;

/**
 * Says which bound a value parsed from JSON exceeds; `undefined` if none. Such a message is made to break unbounded recursion
 * (threat T86), so the recursion here ends at the bound.
 */
export function findExcess(value: unknown): string | undefined {
  const parts = countParts(value, 1, MOST_PARTS);
  if (parts === TOO_DEEP) return `it is nested more than ${DEEPEST_NESTING} levels deep`;
  return parts > MOST_PARTS ? `it has more than ${MOST_PARTS} parts` : undefined;
}

const TOO_DEEP = -1;

/** Counts objects and lists. Stops once there are more than `most`; the count is then no longer exact. */
function countParts(value: unknown, depth: number, most: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > DEEPEST_NESTING) return TOO_DEEP;
  let parts = 1;
  if (Array.isArray(value)) {
    for (const item of value) {
      const inner = countParts(item, depth + 1, most - parts);
      if (inner === TOO_DEEP) return TOO_DEEP;
      parts += inner;
      if (parts > most) break;
    }
    return parts;
  }
  // Parsed JSON has no inherited members, and `for…in` makes no list of the keys.
  for (const name in value) {
    const inner = countParts((value as { readonly [name: string]: unknown })[name], depth + 1, most - parts);
    if (inner === TOO_DEEP) return TOO_DEEP;
    parts += inner;
    if (parts > most) break;
  }
  return parts;
}
