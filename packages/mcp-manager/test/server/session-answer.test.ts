import { McpError } from "@jackfield/mcp-core";
import { createFakeSession } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { decideSession, type SessionRequest } from "../../src/server/session-answer.ts";
import type { ServerState } from "../../src/server/state.ts";
import type { WatchedSession } from "../../src/server/watched-session.ts";

const NOW = 1_000_000;
const error = new McpError("MCP_CONNECT_FAILED", "refused");
const unauthorized = new McpError("MCP_AUTH_REQUIRED", "refused", { httpStatus: 401 });
const session = createFakeSession() as unknown as WatchedSession;
const connecting: ServerState = { status: "connecting", attempt: 1, abort: new AbortController() };
const ready: ServerState = { status: "ready", session, attempt: 1, since: NOW };
const backoff: ServerState = { status: "backoff", error, attempt: 2, retryAt: NOW + 5_000 };
const failed: ServerState = { status: "failed", error, attempt: 6, at: NOW - 30_000 };
const idle = (disconnected: boolean): ServerState => ({ status: "idle", disconnected });
const gone = { refusal: expect.objectContaining({ code: "MCP_CLOSED", outcome: "not-sent" }) };

function answer(state: ServerState, request: Partial<SessionRequest> = {}) {
  const retry = { reviveOnCall: true, maxDelayMs: 30_000 };
  return decideSession(state, {
    server: "s",
    now: () => NOW,
    latest: NOW + 60_000,
    retry,
    isFirst: true,
    ...request,
  });
}

describe("a request for a session", () => {
  it.each([
    ["is ready, gets the session", ready, { session }],
    ["is connecting, waits", connecting, "wait"],
    ["is idle, connects it", idle(false), "connect"],
    ["was disconnected, is refused as closed", idle(true), gone],
    ["retries in time, waits", backoff, "wait"],
    ["tries other credentials now, waits", { ...backoff, error: unauthorized, retryAt: NOW }, "wait"],
    [
      "will try refused credentials again, is refused with its error",
      { ...backoff, error: unauthorized },
      { refusal: unauthorized },
    ],
    ["failed long ago, connects it again", failed, "connect"],
    ["failed recently, is refused with its error", { ...failed, at: NOW - 29_999 }, { refusal: error }],
    ["is closing, is refused as closed", { status: "closing" }, gone],
    ["is closed, is refused as closed", { status: "closed" }, gone],
  ] as const)("if the server %s", (_what, state, expected) => {
    expect(answer(state)).toEqual(expected);
  });

  it.each([
    ["retries too late", backoff, { latest: NOW + 4_999 }],
    ["failed again while the request waited", failed, { isFirst: false }],
    ["is not revived by calls", failed, { retry: { reviveOnCall: false, maxDelayMs: 30_000 } }],
  ] as const)("is refused with the server's error if the server %s", (_what, state, request) => {
    expect(answer(state, request)).toEqual({ refusal: error });
  });
});
