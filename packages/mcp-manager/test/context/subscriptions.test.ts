import { McpError } from "@jackfield/mcp-core";
import { type FakeSession, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { contextSession, LOG, openedFixture, README } from "./context-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LOST = new McpError("MCP_SESSION_LOST", "Gone.");
const updated = (uri: string) => ({ method: "notifications/resources/updated", params: { uri } });

/** What the server was asked about resources, in order: `+` subscribe, `-` unsubscribe. */
function asked({ requests }: FakeSession): string[] {
  const signs = { "resources/subscribe": "+", "resources/unsubscribe": "-" } as const;
  return requests.map(({ method, params }) => `${signs[method as keyof typeof signs] ?? "?"}${params.uri}`);
}

describe("subscriptions of a runtime", () => {
  it("[N13] report a burst of updates once per resource, and none after close()", async () => {
    const { manager, session } = await openedFixture();
    await using _ = manager;
    const heard: string[] = [];
    const events: string[] = [];
    manager.on("resourceUpdated", ({ uri }) => events.push(uri));
    const readme = await manager.subscribe("s", README.uri, () => heard.push("readme"));
    await manager.subscribe("s", LOG.uri, () => heard.push("log"));
    for (let update = 0; update < 10; update += 1) {
      session.notify(updated(README.uri));
      await vi.advanceTimersByTimeAsync(50);
    }
    session.notify(updated(LOG.uri));
    await vi.advanceTimersByTimeAsync(500);
    expect(heard).toEqual(["readme", "log"]);
    expect(events).toEqual([README.uri, LOG.uri]);
    session.notify(updated(README.uri));
    await readme.close();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(heard).toHaveLength(2);
    expect(asked(session)).toEqual([`+${README.uri}`, `+${LOG.uri}`, `-${README.uri}`]);
  });

  it("[N13] still report an update once if the session ends before the quiet period does", async () => {
    const { manager, session, open } = await openedFixture({ retry: { initialDelayMs: 0, jitter: "none" } });
    await using _ = manager;
    const heard = vi.fn();
    await manager.subscribe("s", README.uri, heard);
    session.notify(updated(README.uri));
    await vi.advanceTimersByTimeAsync(100);
    session.lose(LOST);
    await vi.advanceTimersByTimeAsync(1);
    const next = await open();
    next.notify(updated(README.uri));
    await vi.advanceTimersByTimeAsync(499);
    expect(heard).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(heard).toHaveBeenCalledOnce();
    next.notify(updated(README.uri));
    next.lose(LOST);
    await vi.advanceTimersByTimeAsync(500); // While the server is down.
    expect(heard).toHaveBeenCalledTimes(2);
  });

  it.each(["disconnect", "close"] as const)("[N13] report nothing after %s()", async (end) => {
    const { manager, session } = await openedFixture();
    await using _ = manager;
    const heard = vi.fn();
    await manager.subscribe("s", README.uri, heard);
    session.notify(updated(README.uri));
    session.lose(LOST);
    await manager[end]("s");
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(heard).not.toHaveBeenCalled();
  });

  it("[N5] ignore updates of other resources and start no timers for them", async () => {
    const { manager, session } = await openedFixture();
    await using _ = manager;
    await vi.advanceTimersByTimeAsync(0);
    const events: string[] = [];
    manager.on("resourceUpdated", ({ uri }) => events.push(uri));
    await manager.subscribe("s", README.uri, () => {});
    const timers = vi.getTimerCount();
    for (let other = 0; other < 1_000; other += 1) session.notify(updated(`file:///${other}`));
    expect(vi.getTimerCount()).toBe(timers);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(events).toEqual([]);
  });

  it("[N11] log a listener that throws or rejects, and still notify the others", async () => {
    const log = vi.fn();
    const { manager, session } = await openedFixture({ log, limits: { resourceUpdateQuietMs: 0 } });
    await using _ = manager;
    const heard = vi.fn();
    await manager.subscribe("s", README.uri, () => {
      throw new Error("broken");
    });
    await manager.subscribe("s", README.uri, (async () => {
      throw new Error("broken later");
    }) as () => void);
    await manager.subscribe("s", README.uri, heard);
    session.notify(updated(README.uri));
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toHaveBeenCalledOnce();
    const complaints = log.mock.calls.filter(([level]) => level === "error").map(([, , { error }]) => error);
    expect(complaints).toEqual(["Error: broken", "Error: broken later"]);
  });

  it("[N3] are undone if the caller aborts while the request is pending", async () => {
    const held = Promise.withResolvers<object>();
    const answer = (method: string) => (method === "resources/subscribe" ? held.promise : {});
    const { manager, session } = await openedFixture({}, contextSession({ answer }));
    await using _ = manager;
    const controller = new AbortController();
    const { signal } = controller;
    const subscribing = manager.subscribe("s", README.uri, () => {}, { signal });
    const refused = expect(subscribing).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
    await vi.advanceTimersByTimeAsync(0);
    controller.abort();
    await refused;
    held.resolve({});
    await vi.advanceTimersByTimeAsync(0);
    expect(asked(session)).toEqual([`+${README.uri}`, `-${README.uri}`]);
  });

  it("[N4] need no second request if wanted again while an aborted one is pending", async () => {
    const held = Promise.withResolvers<object>();
    const answer = (method: string) => (method === "resources/subscribe" ? held.promise : {});
    const { manager, session } = await openedFixture(
      { limits: { resourceUpdateQuietMs: 0 } },
      contextSession({ answer }),
    );
    await using _ = manager;
    const heard = vi.fn();
    const never = vi.fn();
    const controller = new AbortController();
    const { signal } = controller;
    const first = manager.subscribe("s", README.uri, never, { signal }).catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    controller.abort();
    await first;
    const second = manager.subscribe("s", README.uri, heard);
    await vi.advanceTimersByTimeAsync(0);
    held.resolve({});
    await second;
    session.notify(updated(README.uri));
    expect(heard).toHaveBeenCalledOnce();
    expect(never).not.toHaveBeenCalled();
    expect(asked(session)).toEqual([`+${README.uri}`]);
  });

  it("[N6] end when the server no longer lists the resource", async () => {
    const { manager, session } = await openedFixture({ limits: { resourceUpdateQuietMs: 0 } });
    await using _ = manager;
    await manager.resources("s");
    const heard = vi.fn();
    await manager.subscribe("s", README.uri, heard);
    await manager.subscribe("s", LOG.uri, () => {});
    await manager.subscribe("s", "file:///of-a-template", () => {});
    session.setItems("resources", [LOG]);
    session.notify({ method: "notifications/resources/list_changed" });
    await vi.waitFor(() => expect(asked(session)).toHaveLength(4));
    expect(asked(session).at(-1)).toBe(`-${README.uri}`);
    session.notify(updated(README.uri));
    expect(heard).not.toHaveBeenCalled();
  });

  it("[N7] reject without a request if the server does not support them", async () => {
    const handshake = { capabilities: { tools: {}, resources: {} } };
    const { manager, session } = await openedFixture({}, contextSession({ handshake }));
    await using _ = manager;
    const subscribing = manager.subscribe("s", README.uri, () => {});
    await expect(subscribing).rejects.toMatchObject({ code: "MCP_REQUEST_REJECTED", server: "s" });
    expect(session.requests).toEqual([]);
  });

  it("[R23] are restored in the next session unless they were closed before it opened", async () => {
    const { manager, session, open } = await openedFixture({ limits: { resourceUpdateQuietMs: 0 } });
    await using _ = manager;
    const heard = vi.fn();
    await manager.subscribe("s", README.uri, heard);
    const log = await manager.subscribe("s", LOG.uri, heard);
    session.lose(LOST);
    await log.close();
    await vi.advanceTimersByTimeAsync(2_000);
    const next = await open();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked(next)).toEqual([`+${README.uri}`]);
    next.notify(updated(README.uri));
    expect(heard).toHaveBeenCalledOnce();
  });

  it("are restored on the server that a reload puts in place of theirs, and can be closed there", async () => {
    const { manager, session, open } = await openedFixture({ limits: { resourceUpdateQuietMs: 0 } });
    await using _ = manager;
    const heard = vi.fn();
    const subscription = await manager.subscribe("s", README.uri, heard);
    await manager.subscribe("s", LOG.uri, () => {});
    const replaced = async (command: string) => {
      const reloading = manager.reload([stdioDefinition("s", { command })]);
      const next = await open();
      await reloading;
      await vi.advanceTimersByTimeAsync(0);
      return next;
    };
    await replaced("other");
    const next = await replaced("third");
    expect(asked(next)).toEqual([`+${README.uri}`, `+${LOG.uri}`]);
    session.notify(updated(README.uri));
    next.notify(updated(README.uri));
    expect(heard).toHaveBeenCalledOnce();
    await subscription.close();
    next.notify(updated(README.uri));
    expect(heard).toHaveBeenCalledOnce();
    expect(asked(next).at(-1)).toBe(`-${README.uri}`);
  });
});
