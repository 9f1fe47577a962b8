import type { McpError } from "@jackfield/mcp-core";
import type { WatchedSession } from "./watched-session.ts";

/**
 * The status of a server with the data that belongs to it. The object's identity is the generation: after an `await`, code checks that
 * the state is still the same object, and discards what it holds if not.
 */
export type ServerState =
  | { readonly status: "idle"; readonly disconnected: boolean }
  | { readonly status: "connecting"; readonly attempt: number; readonly abort: AbortController }
  | {
      readonly status: "ready";
      readonly attempt: number;
      readonly since: number;
      readonly session: WatchedSession;
    }
  | {
      readonly status: "backoff";
      readonly attempt: number;
      readonly retryAt: number;
      readonly error: McpError;
    }
  | {
      readonly status: "failed";
      /** How many attempts in a row were spent. */
      readonly attempt: number;
      readonly at: number;
      readonly error: McpError;
    }
  | { readonly status: "closing" }
  | { readonly status: "closed" };

export type ServerEvent =
  /** Start-up, a request or the backoff timer wants a connection. */
  | { readonly type: "connect" }
  | { readonly type: "opened"; readonly session: WatchedSession; readonly now: number }
  /**
   * The attempt failed or the session ended, after `attempt` attempts in a row. `retry` is what the retry policy says; `undefined` for
   * none.
   */
  | {
      readonly type: "lost";
      readonly error: McpError;
      readonly attempt: number;
      readonly now: number;
      readonly retry: Retry | undefined;
    }
  /** Close the connection but stay configured. `disconnected`: only an explicit reconnect connects again. */
  | { readonly type: "release"; readonly disconnected: boolean }
  | { readonly type: "close" }
  /** Everything that was open is closed. */
  | { readonly type: "ended" };

/** When to try next, and how many attempts in a row have been spent by then. */
export interface Retry {
  readonly retryAt: number;
  readonly attempt: number;
}

export const INITIAL_STATE: ServerState = { status: "idle", disconnected: false };

/**
 * The state machine of a server. Pure.
 *
 * @returns the next state, or `undefined` if the event does not apply in this one; the caller then closes what it holds.
 */
export function transition(state: ServerState, event: ServerEvent): ServerState | undefined {
  switch (event.type) {
    case "connect":
      return connecting(state);
    case "opened":
      if (state.status !== "connecting") return undefined;
      return { status: "ready", attempt: state.attempt, since: event.now, session: event.session };
    case "lost":
      return state.status === "connecting" || state.status === "ready" ? lost(event) : undefined;
    case "release":
      return released(state, event.disconnected);
    case "close":
      return closed(state);
    case "ended":
      return state.status === "closing" ? { status: "closed" } : undefined;
  }
}

/** A failed server keeps its attempt count: it gets one more attempt, not all its retries again. */
function connecting(state: ServerState): ServerState | undefined {
  const { status } = state;
  if (status !== "idle" && status !== "backoff" && status !== "failed") return undefined;
  return {
    status: "connecting",
    attempt: status === "idle" ? 1 : state.attempt,
    abort: new AbortController(),
  };
}

function lost({ error, attempt, now, retry }: Extract<ServerEvent, { type: "lost" }>): ServerState {
  if (retry === undefined) return { status: "failed", attempt, at: now, error };
  return { status: "backoff", attempt: retry.attempt, retryAt: retry.retryAt, error };
}

function released(state: ServerState, disconnected: boolean): ServerState | undefined {
  const { status } = state;
  const isOver = status === "closing" || status === "closed";
  const isSame = status === "idle" && state.disconnected === disconnected;
  return isOver || isSame ? undefined : { status: "idle", disconnected };
}

function closed({ status }: ServerState): ServerState | undefined {
  if (status === "closing" || status === "closed") return undefined;
  return { status: status === "connecting" || status === "ready" ? "closing" : "closed" };
}
