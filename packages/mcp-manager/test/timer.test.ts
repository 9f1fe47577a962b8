import { MAX_TIMER_MS } from "@jackfield/mcp-core";
import { createFakeSession, passThroughResolver } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createHeartbeat } from "../src/server/heartbeat.ts";
import { createFixture, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** 35 days: more than a timer can wait. */
const LONG_MS = 3_000_000_000;

describe("a time above 2^31-1 ms", () => {
  it("does not expire at once as connectTimeoutMs", async () => {
    const { manager } = createFixture(["a"], {
      resolve: async (definition, options) => {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return passThroughResolver(definition, options);
      },
      limits: { connectTimeoutMs: LONG_MS },
    });
    const starting = manager.start();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await starting).failed).toEqual([]);
    await manager.close();
  });

  it("does not expire at once as callTimeoutMs of a listing", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true, limits: { callTimeoutMs: LONG_MS } });
    const starting = manager.start();
    const session = createFakeSession({ tools: [tool("echo")] });
    const release = session.holdLists();
    (await connector.nextAttempt()).open(session);
    await vi.advanceTimersByTimeAsync(1_000);
    release();
    expect((await starting).failed).toEqual([]);
    await manager.close();
  });

  it("does not expire at once as idleTimeoutMs", async () => {
    const { manager } = createFixture(["a"], { limits: { idleTimeoutMs: LONG_MS } });
    await manager.start();
    await vi.advanceTimersByTimeAsync(MAX_TIMER_MS - 1);
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    await manager.close();
  });

  it("does not expire at once as toolPollIntervalMs", async () => {
    const { manager, sessions } = createFixture(["a"], { limits: { toolPollIntervalMs: LONG_MS } });
    await manager.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sessions.get("a")?.listed).toEqual(["tools"]);
    await manager.close();
  });

  it("does not expire at once as resourceUpdateQuietMs", async () => {
    const capabilities = { resources: { subscribe: true } };
    const { manager, connector } = createFixture(["a"], {
      byHand: true,
      limits: { resourceUpdateQuietMs: LONG_MS },
    });
    const starting = manager.start();
    const session = (await connector.nextAttempt()).open(createFakeSession({ handshake: { capabilities } }));
    await starting;
    const heard = vi.fn();
    await manager.subscribe("a", "file:///a", heard);
    session.notify({ method: "notifications/resources/updated", params: { uri: "file:///a" } });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heard).not.toHaveBeenCalled();
    await manager.close();
  });

  it("does not expire at once as closeTimeoutMs", async () => {
    const { manager, sessions } = createFixture(["a"], { limits: { closeTimeoutMs: LONG_MS } });
    await manager.start();
    const release = sessions.get("a")?.holdClose();
    const closed = vi.fn();
    const closing = manager.close().then(closed);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(closed).not.toHaveBeenCalled();
    release?.();
    await closing;
  });

  it("does not expire at once as the heartbeat interval", async () => {
    const subject = { server: "a", pings: {}, ping: vi.fn(), heardAt: () => 0, isBusy: vi.fn(() => false) };
    const policy = { intervalMs: LONG_MS, timeoutMs: 1_000, threshold: 1 };
    const heartbeat = createHeartbeat(policy, subject, () => {});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(subject.isBusy).toHaveBeenCalledOnce();
    heartbeat.stop();
  });

  it.each(["reconnect", "refreshTools"] as const)("does not expire at once in %s()", async (operation) => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const release =
      operation === "reconnect" ? sessions.get("a")?.holdClose() : sessions.get("a")?.holdLists();
    const done = manager[operation]("a", { timeoutMs: LONG_MS });
    await vi.advanceTimersByTimeAsync(1_000);
    release?.();
    await done;
    await manager.close();
  });
});
