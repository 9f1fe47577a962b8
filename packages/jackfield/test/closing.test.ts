import { openToolPins } from "@jackfield/mcp-guard";
import { createMcpManager } from "@jackfield/mcp-manager";
import {
  createFakeConnector,
  createFakeSession,
  memoryStateStore,
  passThroughResolver,
} from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { beginClosing, waitForClosing } from "../src/closing-work.ts";
import { createMcp } from "../src/mcp.ts";
import { openMcp } from "../src/open-mcp.ts";

afterEach(() => void vi.useRealTimers());

it("close() releases the runtime's resources even if the manager fails to close", async () => {
  const release = vi.fn(async () => {});
  const { connect } = createFakeConnector();
  const manager = createMcpManager({ servers: [], connect, resolve: passThroughResolver });
  manager.close = () => Promise.reject(new Error("stuck"));
  const configuration = { merged: { problems: [], diagnostics: [], blocked: [] } };
  const mcp = createMcp(manager, { started: { failed: [] }, configuration } as never, release);
  await expect(mcp.close()).rejects.toThrow("stuck");
  expect(release).toHaveBeenCalledOnce();
});

describe("the time limit of close()", () => {
  const never = () => new Promise<never>(() => {});

  it("covers closing the servers and storing pending data together", async () => {
    const session = createFakeSession({ tools: [{ name: "read", inputSchema: { type: "object" } }] });
    const { connect } = createFakeConnector({ onAttempt: (attempt) => void attempt.open(session) });
    const pins = await openToolPins({ store: { ...memoryStateStore(), set: never } });
    const said: string[] = [];
    const mcp = await openMcp({
      servers: { files: { command: "x" } },
      discover: false,
      cache: false,
      connect,
      guards: { pins },
      limits: { closeTimeoutMs: 1_000 },
      log: (_level, message) => said.push(message),
    });
    const release = session.holdClose();
    vi.useFakeTimers();
    const closed = vi.fn();
    const closing = mcp.close().then(closed);
    await vi.advanceTimersByTimeAsync(999);
    expect(closed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    expect(closed).toHaveBeenCalledOnce();
    expect(said).toContainEqual(expect.stringContaining("not stored within 1000 ms"));
    release();
    await closing;
  });

  it("is five seconds by default", async () => {
    vi.useFakeTimers();
    const onLate = vi.fn();
    const waiting = waitForClosing({ work: never, deadline: beginClosing(), onLate });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(onLate).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(onLate).toHaveBeenCalledExactlyOnceWith(5_000);
    await waiting;
  });

  it("does not fail work that starts too late but finishes at once", async () => {
    vi.useFakeTimers();
    const deadline = beginClosing(100);
    await vi.advanceTimersByTimeAsync(500);
    expect(deadline.leftMs()).toBe(0);
    const onLate = vi.fn();
    await waitForClosing({ work: async () => Promise.resolve(), deadline, onLate });
    expect(onLate).not.toHaveBeenCalled();
  });
});
