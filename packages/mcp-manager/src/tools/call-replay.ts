import type { CallOptions, McpError, ServerLimits, ToolDescriptor } from "@jackfield/mcp-core";
import { MOST_UNSENT } from "../server/unsent-request.ts";

/** Everything that the decision about a repetition depends on. */
export interface ReplayQuestion {
  /** The error of the last attempt. */
  readonly error: McpError;
  /** How many attempts may have run, including the last. */
  readonly mayHaveRun: number;
  /** How many attempts since then could not be sent. */
  readonly unsent: number;
  /** How many attempts since then the server refused. */
  readonly refused: number;
  /** Whether the attempt's session has ended since. */
  readonly hasEnded: boolean;
  /** Whether the session was renewed since the call began: it then sends a call that the server refused once more itself. */
  readonly wasRenewed: boolean;
  readonly replay: CallOptions["replay"];
  /** The tool as it is now; missing if it is no longer offered. */
  readonly tool: ToolDescriptor | undefined;
  readonly limits: ServerLimits;
}

/** The wait if a busy server gives no `Retry-After`. */
const BUSY_DELAY_MS = 1_000;
const TOO_MANY_REQUESTS = 429;
const UNAUTHORIZED = 401;

/**
 * Decides whether a failed call is repeated, and after how many milliseconds. Pure.
 *
 * - Not sent: repeated up to twice, first on the same session if it still stands, then on another one.
 * - Refused before it ran, because the server does not know the session or with HTTP 429: repeated once, after the time that the server asks for.
 *   So is one whose credentials the server refused if the session ended on that, because the next one has others.
 *   A session that is unknown after it was renewed is not tried again: the session has sent the call twice already.
 * - May have run: repeated only if the caller allows it for this call, or if `trustAnnotations` is set and the tool's annotations say that
 *   it is read-only or idempotent. An attempt that found its session gone does not count as one of the repetitions that `replay` allows.
 * - Answered, timed out or aborted: never repeated. Nor is a call whose authorization challenge could not be met: the status in such an
 *   error is the authorization server's.
 *
 * @returns `undefined` if the call is not repeated.
 */
export function repeatDelay({
  error,
  mayHaveRun,
  unsent,
  refused,
  hasEnded,
  wasRenewed,
  replay = "trusted",
  tool,
  limits,
}: ReplayQuestion): number | undefined {
  if (error.outcome === "not-sent" || error.outcome === "rejected") {
    if (unsent > MOST_UNSENT || refused > 1) return undefined;
    if (error.httpStatus === UNAUTHORIZED && hasEnded) return 0;
    if (isOfChallenge(error)) return undefined;
    if (wasRenewed && error.code === "MCP_SESSION_LOST" && error.httpStatus !== undefined) return undefined;
    if (error.code === "MCP_SESSION_LOST" || error.code === "MCP_SERVER_EXITED") return 0;
    return error.httpStatus === TOO_MANY_REQUESTS ? (error.retryAfterMs ?? BUSY_DELAY_MS) : undefined;
  }
  if (error.code !== "MCP_OUTCOME_UNKNOWN") return undefined;
  return mayRunAgain(replay, mayHaveRun, tool, limits) ? 0 : undefined;
}

/**
 * Whether an authorization challenge failed. Such an error has the phase `handshake`, but `callError` replaces the phase of errors that name
 * no tool. So the codes count as well: sessions use neither for a server's answer to a call that could be repeated.
 */
function isOfChallenge({ phase, code }: McpError): boolean {
  return phase === "handshake" || code === "MCP_CONNECT_FAILED" || code === "MCP_AUTH_REQUIRED";
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
