import type { CallOptions, McpError, ServerLimits, ToolDescriptor } from "@jackfield/mcp-core";
import { MOST_UNSENT } from "../server/unsent-request.ts";

/** What has become of a call so far and what may be repeated; the decision's whole input. */
export interface ReplayQuestion {
  /** Of the last attempt. */
  readonly error: McpError;
  /** How many attempts may have run, the last included. */
  readonly mayHaveRun: number;
  /** How many could not be sent since then. */
  readonly unsent: number;
  /** How many the server refused since then. */
  readonly refused: number;
  readonly replay: CallOptions["replay"];
  /** As it is now; missing if it is not on offer any more. */
  readonly tool: ToolDescriptor | undefined;
  readonly limits: ServerLimits;
}

/** What is waited for where a server is busy and does not say for how long. */
const BUSY_DELAY_MS = 1_000;
const TOO_MANY_REQUESTS = 429;

/**
 * Whether a failed call is made once more, and after how many milliseconds. Pure.
 *
 * What was never sent, or was refused before it was processed, did not run. It is made once more, and what was never sent twice: the
 * second time its session is given up. What is refused is a session the server does not know, and HTTP 429, after the time it asks
 * for. A server that died takes an attempt that may have run with it, and another one finds its session gone: that does not count as
 * one of those that `replay` allows. What may have run is repeated only where the caller asked for it on this call, or where the
 * server's own annotations say it does no harm and its limits trust them. An answer, a time-out, an abort are never repeated.
 *
 * A call whose authorization challenge could not be met is never repeated either: a status in such an error is the authorization server's.
 *
 * @returns `undefined` if it is not to be repeated.
 */
export function repeatDelay({
  error,
  mayHaveRun,
  unsent,
  refused,
  replay = "trusted",
  tool,
  limits,
}: ReplayQuestion): number | undefined {
  if (error.outcome === "not-sent" || error.outcome === "rejected") {
    if (unsent > MOST_UNSENT || refused > 1 || isOfChallenge(error)) return undefined;
    if (error.code === "MCP_SESSION_LOST" || error.code === "MCP_SERVER_EXITED") return 0;
    return error.httpStatus === TOO_MANY_REQUESTS ? (error.retryAfterMs ?? BUSY_DELAY_MS) : undefined;
  }
  if (error.code !== "MCP_OUTCOME_UNKNOWN") return undefined;
  return mayRunAgain(replay, mayHaveRun, tool, limits) ? 0 : undefined;
}

/**
 * An error of a challenge has the phase `handshake`. `callError` replaces the phase of every error that names no tool, so the code counts
 * as well: no session uses it for what its server answered to a call.
 */
function isOfChallenge({ phase, code }: McpError): boolean {
  return phase === "handshake" || code === "MCP_CONNECT_FAILED";
}

function mayRunAgain(
  replay: NonNullable<CallOptions["replay"]>,
  times: number,
  tool: ToolDescriptor | undefined,
  limits: ServerLimits,
): boolean {
  if (typeof replay === "number") return times <= replay;
  if (replay === "never" || limits.trustAnnotations !== true) return false;
  const { readOnlyHint, idempotentHint } = tool?.definition.annotations ?? {};
  return times === 1 && (readOnlyHint === true || idempotentHint === true);
}
