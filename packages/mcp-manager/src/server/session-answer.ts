import type { McpError } from "@jackfield/mcp-core";
import { goneError } from "./gone-error.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import type { ServerState } from "./state.ts";
import type { WatchedSession } from "./watched-session.ts";

/** A request for a session. */
export interface SessionRequest {
  readonly server: string;
  /** The clock, in epoch milliseconds; read on demand, because most servers are ready. */
  readonly now: () => number;
  /** Until when the caller waits, epoch milliseconds. */
  readonly latest: number;
  readonly retry: Pick<RetryPolicy, "reviveOnCall" | "maxDelayMs">;
  /** Whether this is the first try: a request retries a failed server once, not each time that fails again. */
  readonly isFirst: boolean;
}

/** The answer. `connect`: open a connection first; `wait`: an attempt is under way or scheduled. */
export type SessionAnswer =
  | { readonly session: WatchedSession }
  | { readonly refusal: McpError }
  | "connect"
  | "wait";

/** Whether a server's state has a session, leads to one in time, or never will. Pure. */
export function decideSession(state: ServerState, request: SessionRequest): SessionAnswer {
  switch (state.status) {
    case "ready":
      return { session: state.session };
    case "connecting":
      return "wait";
    case "backoff":
      return state.retryAt > request.latest || isRefusedForNow(state, request)
        ? { refusal: state.error }
        : "wait";
    case "failed":
      return mayRevive(state, request) ? "connect" : { refusal: state.error };
    case "idle":
      return state.disconnected ? { refusal: goneError(request.server, true) } : "connect";
    default:
      return { refusal: goneError(request.server, false) };
  }
}

/** Credentials that were refused are tried again at once with others; if those are refused too, time alone mends nothing. */
function isRefusedForNow(
  { error, retryAt }: { readonly error: McpError; readonly retryAt: number },
  { now }: SessionRequest,
): boolean {
  return error.httpStatus === UNAUTHORIZED && retryAt > now();
}

const UNAUTHORIZED = 401;

/** Whoever was told to log in calls again soon, and may have logged in on another machine. */
const AFTER_LOGIN_MS = 1_000;

function mayRevive(
  { at, error }: { readonly at: number; readonly error: McpError },
  { isFirst, now, retry }: SessionRequest,
): boolean {
  const waitMs = error.login === undefined ? retry.maxDelayMs : Math.min(AFTER_LOGIN_MS, retry.maxDelayMs);
  return isFirst && retry.reviveOnCall && now() - at >= waitMs;
}
