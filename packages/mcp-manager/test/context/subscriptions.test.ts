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
  it("[N13] tell of ten updates in half a second once, each resource for itself, and of none after they ended", async () => {
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

  it("[N13] tell of an update though the session ends before the resource was quiet, once", async () => {
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

  it.each(["disconnect", "close"] as const)("[N13] tell of nothing after %s", async (end) => {
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

  it("[N5] are not told of resources that nobody asked for, and nothing is kept of those", async () => {
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

  it("[N11] whose listener throws, or rejects, keep no other from hearing, and that is logged", async () => {
    const log = vi.fn();
    const { manager, session } = await openedFixture({ log, resourceUpdateQuietMs: 0 });
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

  it("[N3] that are given up while the server is being told are undone", async () => {
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

  it("[N4] that are given up and wanted again while the server is being told stay, and tell of updates", async () => {
    const held = Promise.withResolvers<object>();
    const answer = (method: string) => (method === "resources/subscribe" ? held.promise : {});
    const { manager, session } = await openedFixture(
      { resourceUpdateQuietMs: 0 },
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

  it("[N6] end with their resource, when the server does not list it any more", async () => {
    const { manager, session } = await openedFixture({ resourceUpdateQuietMs: 0 });
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

  it("[N7] are refused without a request by a server that takes none", async () => {
    const handshake = { capabilities: { tools: {}, resources: {} } };
    const { manager, session } = await openedFixture({}, contextSession({ handshake }));
    await using _ = manager;
    const subscribing = manager.subscribe("s", README.uri, () => {});
    await expect(subscribing).rejects.toMatchObject({ code: "MCP_REQUEST_REJECTED", server: "s" });
    expect(session.requests).toEqual([]);
  });

  it("[R23] are made again in the next session, and those that ended meanwhile are not", async () => {
    const { manager, session, open } = await openedFixture({ resourceUpdateQuietMs: 0 });
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

  it("are made again of the server that takes the place of theirs, and can be ended there", async () => {
    const { manager, session, open } = await openedFixture({ resourceUpdateQuietMs: 0 });
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
