import type { JSONRPCErrorResponse, JSONRPCMessage, RequestId, Result } from "@modelcontextprotocol/client";
import { ALWAYS_WITHIN_BOUNDS, findExcess } from "./message-bounds.ts";
import { isRecord } from "./plain-values.ts";
import { INTERNAL_ERROR } from "./rpc-codes.ts";

/** In the `data` of an error that stands in for an answer that is none. */
export const UNSOUND_ANSWER = Symbol("unsound answer");

/** In the `data` of an error that stands in for questions which bring more along than is sent back with their answers. */
export const OVERSIZED_STATE = Symbol("oversized state");

/** More than any server has to be reminded of (threat T68). In characters. */
const LONGEST_STATE = 64 * 1024;

/**
 * Lets a message pass, or what is to be read in its place; nothing if nobody should see it. `characters`: the length of the text it was
 * read from, where there was one.
 */
export type MessageCheck = (message: JSONRPCMessage, characters?: number) => JSONRPCMessage | undefined;

/** The members of an answer, whatever stands in them. */
interface AnswerMembers {
  readonly jsonrpc?: unknown;
  readonly id: RequestId;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * What every message goes through before anybody reads it. The SDK ignores what it does not take for an answer, and the request
 * would wait in vain: an error takes its place, so that the request fails at once. A message that is nested too deep or has too many parts
 * ends the same way, or is dropped if nobody waits for it.
 */
export const checkMessage: MessageCheck = (message, characters = Number.POSITIVE_INFINITY) => {
  const excess = characters > ALWAYS_WITHIN_BOUNDS ? findExcess(message) : undefined;
  if (excess !== undefined) return isAnswer(message) ? unsoundAnswer(message.id, excess) : undefined;
  return soundMessage(message);
};

/** What is to be read in the place of an answer that the SDK would not take for one; any other message as it is. */
export function soundMessage(message: JSONRPCMessage): JSONRPCMessage {
  return isAnswer(message) && !isPlainAnswer(message) ? checkAnswer(message) : message;
}

/** Whether an answer is of the kind nearly every one is: a result, beside which nothing stands. */
function isPlainAnswer(message: AnswerMembers): boolean {
  const { jsonrpc, id, result } = message;
  if (jsonrpc !== "2.0" || !isId(id) || !isRecord(result) || "_meta" in result) return false;
  if ("requestState" in result) return false;
  for (const member in message)
    if (member !== "jsonrpc" && member !== "id" && member !== "result") return false;
  return true;
}

/** Whether a message answers a request, be the answer good or bad. */
export function isAnswer(message: object): message is AnswerMembers {
  return "id" in message && !("method" in message);
}

/** What is read in place of an answer that cannot be used. The request may have been carried out. */
export function unsoundAnswer(id: RequestId, reason: string): JSONRPCMessage {
  const error = { code: INTERNAL_ERROR, message: reason, data: UNSOUND_ANSWER };
  return { jsonrpc: "2.0", id, error };
}

/** Serialisers of several languages write a member that is missing as `null`, and peers add members of their own. */
function checkAnswer({ id, result, error }: AnswerMembers): JSONRPCMessage {
  const hasError = error !== undefined && error !== null;
  if (hasError && result !== undefined && result !== null)
    return unsoundAnswer(id, "it has both a result and an error");
  if (hasError && isId(id) && isError(error)) return { jsonrpc: "2.0", id, error };
  if (!hasError && isId(id) && hasLongState(result)) return oversizedState(id);
  if (!hasError && isId(id) && isResult(result)) return { jsonrpc: "2.0", id, result };
  return unsoundAnswer(id, hasError ? "its error is malformed" : "its result is not an object, or malformed");
}

/** As the SDK's schemas have them: whatever passes here is taken for an answer there. */
const isId = (id: unknown): id is RequestId => Number.isSafeInteger(id) || typeof id === "string";

function isResult(result: unknown): result is Result {
  return isRecord(result) && (result._meta === undefined || isRecord(result._meta));
}

/** What a server wants back with the answers to its questions is sent by us, and kept, as often as it asks. */
function hasLongState(result: unknown): boolean {
  if (!isRecord(result) || result.resultType !== "input_required") return false;
  return typeof result.requestState === "string" && result.requestState.length > LONGEST_STATE;
}

function oversizedState(id: RequestId): JSONRPCMessage {
  const message = `it wants more than ${LONGEST_STATE} characters sent back with an answer`;
  return { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message, data: OVERSIZED_STATE } };
}

function isError(error: unknown): error is JSONRPCErrorResponse["error"] {
  return isRecord(error) && Number.isSafeInteger(error.code) && typeof error.message === "string";
}
