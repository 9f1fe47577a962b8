import { isRecord } from "@jackfield/mcp-core";
import { TransportFault } from "../faults.ts";
import type { Refusal } from "./http-call.ts";

/** The error of a refusal, which `errors/` converts further. `isForgotten`: the server no longer knows the session. */
export function refusalError(refusal: Refusal, isForgotten?: boolean): TransportFault {
  return new TransportFault({ kind: "http-refused", ...refusal, isForgotten });
}

/** Statuses with which servers refuse a message of a session that they do not know, besides 404. */
const MAY_BE_FORGOTTEN = new Set([400, 503]);

/**
 * Whether a server refuses a message because it does not know its session any more. The specification asks for 404. The reference servers
 * of 2025, and many that were made after them, answer 400 or 503 with a JSON-RPC error that says so.
 */
export function saysForgotten({ status, text }: Refusal): boolean {
  if (status === 404) return true;
  return MAY_BE_FORGOTTEN.has(status) && isAboutSession(rpcErrorIn(text));
}

/** The code of an answer about a session that is unknown, in servers that refuse nothing with an HTTP status. */
const SESSION_NOT_FOUND = -32001;

/** Codes that say so in other words, and much else. */
const MAY_BE_ABOUT_SESSION = new Set([-32000, -32600]);

/** What servers say of a session that they do not know. */
const UNKNOWN_SESSION =
  /\b(?:invalid|unknown|expired|missing|no valid|no such) (?:mcp[- ])?session\b|\bsession(?:[- ]?id)? (?:is |was |has )?(?:not found|unknown|invalid|expired|terminated|does not exist)\b/i;

/** Whether an answer, accepted with 200, says that its session is unknown. The codes are used for other matters as well. */
export function isForgottenAnswer(error: RpcErrorBody): boolean {
  if (error.code === SESSION_NOT_FOUND) return isAboutSession(error);
  return MAY_BE_ABOUT_SESSION.has(error.code) && UNKNOWN_SESSION.test(error.message);
}

export interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
}

/** The JSON-RPC error in the body of a refusal. */
export function rpcErrorIn(text: string | undefined): RpcErrorBody | undefined {
  try {
    const { error } = JSON.parse(text ?? "");
    return isRecord(error) && typeof error.code === "number"
      ? { code: error.code, message: String(error.message) }
      : undefined;
  } catch {
    return undefined;
  }
}

function isAboutSession(error: RpcErrorBody | undefined): boolean {
  return error !== undefined && /session|not initialized/i.test(error.message);
}
