import { McpError, type ServerStatus } from "@jackfield/mcp-core";
import { createFakeSession } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { INITIAL_STATE, type ServerEvent, type ServerState, transition } from "../../src/server/state.ts";
import { WatchedSession } from "../../src/server/watched-session.ts";

const watch = { definition: { limits: { idleTimeoutMs: 0 } }, counts: { calls: 0, failures: 0 } };
const session = new WatchedSession(createFakeSession(), watch, {
  idle: () => {},
  refused: () => {},
  values: undefined,
});
const error = new McpError("MCP_SESSION_LOST", "gone");

const STATES: Record<ServerStatus, ServerState> = {
  idle: INITIAL_STATE,
  connecting: { status: "connecting", attempt: 2, abort: new AbortController() },
  ready: { status: "ready", attempt: 2, since: 1, session },
  backoff: { status: "backoff", attempt: 3, retryAt: 9, error },
  failed: { status: "failed", attempt: 6, at: 1, error },
  closing: { status: "closing" },
  closed: { status: "closed" },
};

const EVENTS = {
  connect: { type: "connect" },
  opened: { type: "opened", session, now: 5 },
  lostForGood: { type: "lost", error, attempt: 2, now: 5, retry: undefined },
  lostForNow: { type: "lost", error, attempt: 2, now: 5, retry: { retryAt: 9, attempt: 3 } },
  release: { type: "release", disconnected: false },
  disconnect: { type: "release", disconnected: true },
  close: { type: "close" },
  ended: { type: "ended" },
} as const satisfies Record<string, ServerEvent>;

type EventName = keyof typeof EVENTS;

/** The complete table: an event that is missing here is ignored in that state. */
const TABLE: Record<ServerStatus, Partial<Record<EventName, ServerStatus>>> = {
  idle: { connect: "connecting", disconnect: "idle", close: "closed" },
  connecting: {
    opened: "ready",
    lostForGood: "failed",
    lostForNow: "backoff",
    release: "idle",
    disconnect: "idle",
    close: "closing",
  },
  ready: {
    lostForGood: "failed",
    lostForNow: "backoff",
    release: "idle",
    disconnect: "idle",
    close: "closing",
  },
  backoff: { connect: "connecting", release: "idle", disconnect: "idle", close: "closed" },
  failed: { connect: "connecting", release: "idle", disconnect: "idle", close: "closed" },
  closing: { ended: "closed" },
  closed: {},
};

const CASES = (Object.keys(STATES) as ServerStatus[]).flatMap((from) =>
  (Object.keys(EVENTS) as EventName[]).map((event) => ({ from, event, to: TABLE[from][event] })),
);

describe("the state machine of a server", () => {
  it.each(CASES)("[S1] $from, on $event, becomes $to", ({ from, event, to }) => {
    expect(transition(STATES[from], EVENTS[event])?.status).toBe(to);
  });

  it("counts attempts from 1 after idle, and keeps the count after backoff and failed", () => {
    expect(transition(STATES.idle, EVENTS.connect)).toMatchObject({ attempt: 1 });
    expect(transition(STATES.ready, EVENTS.lostForGood)).toMatchObject({ attempt: 2 });
    expect(transition(STATES.failed, EVENTS.connect)).toMatchObject({ attempt: 6 });
    expect(transition(STATES.backoff, EVENTS.connect)).toMatchObject({ attempt: 3 });
  });

  it("returns a new object for every transition", () => {
    const again = transition(STATES.backoff, EVENTS.connect);
    expect(again).not.toBe(transition(STATES.backoff, EVENTS.connect));
  });

  it.each(Object.values(EVENTS))("never leaves closed: $type", (event) => {
    expect(transition({ status: "closed" }, event)).toBeUndefined();
  });
});
