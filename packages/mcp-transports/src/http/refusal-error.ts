import { isRecord } from "@jackfield/mcp-core";
import { ChannelFault } from "../channel-fault.ts";
import type { Refusal } from "./http-call.ts";

/** The error of a refusal, which `errors/` converts further. */
export function refusalError(refusal: Refusal): ChannelFault {
  return new ChannelFault({ kind: "http-refused", ...refusal });
}

/** The error of a message whose session the server no longer knows. */
export function forgottenError(refusal: Refusal): ChannelFault {
  return new ChannelFault({ kind: "http-refused", ...refusal, isForgotten: true });
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

/** Whether an answer, accepted with 200, says that its session is unknown. The same code is used for a request that timed out. */
export function isForgottenAnswer(error: RpcErrorBody): boolean {
  return error.code === SESSION_NOT_FOUND && isAboutSession(error);
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
