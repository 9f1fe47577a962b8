import { McpError, type ServerDefinition } from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  passThroughResolver,
  recordStatuses,
  stdioDefinition,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const [a, b, c] = ["a", "b", "c"].map((name) => stdioDefinition(name)) as [
  ServerDefinition,
  ServerDefinition,
  ServerDefinition,
];
const moved = (name: string) => stdioDefinition(name, { args: ["--other"] });
const offering = (...names: string[]) => createFakeSession({ tools: names.map((name) => tool(name)) });

describe("reload()", () => {
  it("starts added, closes removed, replaces changed and keeps unchanged servers", async () => {
    const { manager, connector, sessions } = createFixture([a, b, c]);
    await manager.start();
    const before = new Map(sessions);
    const added = stdioDefinition("d");
    const report = await manager.reload([moved("a"), b, added]);
    expect(report).toEqual({ added: ["d"], removed: ["c"], changed: ["a"], kept: ["b"] });
    expect(manager.servers().map(({ name, status }) => [name, status])).toEqual([
      ["a", "ready"],
      ["b", "ready"],
      ["d", "ready"],
    ]);
    expect(connector.attempts.map(({ server }) => server.name).sort()).toEqual(["a", "a", "b", "c", "d"]);
    expect([...before].map(([name, session]) => [name, session.closed])).toEqual([
      ["a", true],
      ["b", false],
      ["c", true],
    ]);
    expect(manager.tools().map(({ server }) => server)).toEqual(["a", "b", "d"]);
    await manager.close();
  });

  it("applies a changed filter at once, and reconnects for neither filter, limit nor line", async () => {
    const { manager, connector } = createFixture([a], { tools: [tool("echo"), tool("other")] });
    await manager.start();
    const changes: unknown[] = [];
    manager.on("toolsChanged", (change) => changes.push(change));
    const definedIn = { scope: "explicit", line: 7 } as const;
    const limits = { callTimeoutMs: 5 };
    const changed = stdioDefinition("a", { tools: { include: ["other"] }, limits, definedIn });
    expect(await manager.reload([changed])).toMatchObject({ changed: ["a"] });
    expect(connector.attempts).toHaveLength(1);
    expect(changes).toEqual([{ server: "a", added: [], removed: ["mcp__a__echo"], changed: [] }]);
    expect(manager.servers()).toMatchObject([{ status: "ready", definedIn }]);
    await manager.close();
  });

  it("[R46] applies a changed limit to the next call", async () => {
    const { manager, sessions } = createFixture([a]);
    await manager.start();
    await manager.reload([stdioDefinition("a", { limits: { callTimeoutMs: 1_234 } })]);
    await manager.callTool("mcp__a__echo");
    expect(sessions.get("a")?.requests.at(-1)?.options.timeoutMs).toBe(1_234);
    await manager.close();
  });

  it("changes nothing for an equal configuration with fields in another order", async () => {
    const { manager, sessions } = createFixture([stdioDefinition("a", { env: { X: "1", Y: "2" } })]);
    await manager.start();
    const statuses = recordStatuses(manager);
    const again = stdioDefinition("a", { env: { Y: "2", X: "1" }, lazy: undefined });
    expect(await manager.reload([again])).toEqual({ added: [], removed: [], changed: [], kept: ["a"] });
    expect(statuses.of("a")).toEqual([]);
    expect(sessions.get("a")?.closed).toBe(false);
    await manager.close();
  });

  it("rejects an invalid configuration and changes nothing", async () => {
    const { manager, connector } = createFixture([a]);
    await manager.start();
    const reloading = manager.reload([b, stdioDefinition("b")]);
    await expect(reloading).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID", server: "b" });
    expect(manager.servers()).toMatchObject([{ name: "a", status: "ready" }]);
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });

  it("removes a disabled server, and offers cached tools of a new one before it is up", async () => {
    const cache = createFakeToolCache();
    const resolved = await passThroughResolver(b, { signal: new AbortController().signal });
    cache.seed(resolved, { tools: [tool("remembered")] });
    const { manager, connector } = createFixture([a], { byHand: true, cache });
    const starting = manager.start();
    (await connector.nextAttempt()).open(offering("echo"));
    await starting;
    const report = await manager.reload([{ ...a, enabled: false }, b]);
    expect(report).toEqual({ added: ["b"], removed: ["a"], changed: [], kept: [] });
    expect(manager.tools()).toMatchObject([{ server: "b", originalName: "remembered", origin: "cache" }]);
    await manager.close();
  });

  it("connects a server that is no longer lazy", async () => {
    const { manager, connector } = createFixture([stdioDefinition("a", { lazy: true })]);
    await manager.start();
    await manager.reload([a]);
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });

  it("connects nothing before start(), and rejects after close()", async () => {
    const { manager, connector } = createFixture([a]);
    await manager.reload([b]);
    expect(connector.attempts).toEqual([]);
    expect((await manager.start()).ready).toMatchObject([{ name: "b" }]);
    await manager.close();
    await expect(manager.reload([a])).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });

  it("[R36] accepts a one-shot iterable, which a later start() uses again", async () => {
    const { manager } = createFixture([a]);
    await manager.start();
    await manager.reload(
      (function* () {
        yield b;
      })(),
    );
    await manager.close();
    expect((await manager.start()).ready).toMatchObject([{ name: "b" }]);
    await manager.close();
  });
});

describe("a server that is removed or replaced", () => {
  it.each([
    ["removed", []],
    ["replaced", [moved("a")]],
  ])("rejects its calls, sent or waiting, when it is %s", async (_how, next) => {
    const { manager, connector } = createFixture([a, stdioDefinition("slow", { lazy: true })], {
      byHand: true,
    });
    const starting = manager.start();
    const session = createFakeSession({ tools: [tool("echo")], answer: () => new Promise(() => {}) });
    (await connector.nextAttempt()).open(session);
    await starting;
    const sent = manager.callTool("mcp__a__echo").catch((error: unknown) => error);
    const waiting = manager.callTool({ server: "slow", tool: "echo" }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(0);
    const reloading = manager.reload(next);
    expect(await sent).toMatchObject({ code: "MCP_CLOSED", outcome: "unknown", server: "a" });
    expect(await waiting).toMatchObject({ code: "MCP_CLOSED", outcome: "not-sent", server: "slow" });
    expect(manager.tools()).toEqual([]);
    await manager.close();
    await reloading.catch(() => {});
  });

  it("[R7] a late session of the old definition is closed and offers nothing", async () => {
    const { manager, connector } = createFixture([a], { byHand: true });
    const starting = manager.start();
    const old = await connector.nextAttempt();
    const reloading = manager.reload([moved("a")]);
    await starting;
    const newer = await connector.nextAttempt();
    const late = old.open(offering("old"));
    newer.open(offering("new"));
    await reloading;
    expect(late.closed).toBe(true);
    expect(manager.tools()).toMatchObject([{ originalName: "new" }]);
    await manager.close();
  });

  it("[R8] [R28] the same definition object, removed and added again, is a new server", async () => {
    const { manager, connector } = createFixture([a], { byHand: true });
    const starting = manager.start();
    const old = await connector.nextAttempt();
    const removing = manager.reload([]);
    const adding = manager.reload([a]);
    const late = old.open(offering("old"));
    (await connector.nextAttempt()).open(offering("new"));
    await Promise.all([starting, removing, adding]);
    expect(late.closed).toBe(true);
    expect(manager.tools()).toMatchObject([{ originalName: "new" }]);
    await manager.close();
  });

  it("[H5] a new server with its name starts only after it has closed", async () => {
    const { manager, connector, sessions } = createFixture([a]);
    await manager.start();
    const release = sessions.get("a")?.holdClose();
    void manager.reload([]);
    const adding = manager.reload([moved("a")]);
    await vi.advanceTimersByTimeAsync(100);
    expect(connector.attempts).toHaveLength(1);
    release?.();
    await adding;
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("[L36] a tool that both servers have is called on the new one, by the same name", async () => {
    const { manager, sessions } = createFixture([a]);
    await manager.start();
    const old = sessions.get("a");
    await manager.reload([moved("a")]);
    await manager.callTool("mcp__a__echo");
    expect(old?.requests).toEqual([]);
    expect(sessions.get("a")?.requests).toHaveLength(1);
    await manager.close();
  });
});

describe("reload() combined with other operations", () => {
  it("[C24] keeps listeners, which also get events of new servers", async () => {
    const { manager } = createFixture([a]);
    const heard: unknown[] = [];
    manager.on("toolsChanged", ({ server, added }) => heard.push([server, ...added]));
    await manager.start();
    await manager.reload([a, b]);
    expect(heard).toEqual([
      ["a", "mcp__a__echo"],
      ["b", "mcp__b__echo"],
    ]);
    await manager.close();
  });

  it("[C29] applies the later of two concurrent reloads, and connects each server once", async () => {
    const { manager, connector } = createFixture([a]);
    await Promise.all([manager.start(), manager.reload([a, b]), manager.reload([b, c])]);
    expect(manager.servers()).toMatchObject([
      { name: "b", status: "ready" },
      { name: "c", status: "ready" },
    ]);
    expect(connector.attempts.filter(({ server }) => server.name === "b")).toHaveLength(1);
    await manager.close();
  });

  it("rejects with MCP_CLOSED if close() is called meanwhile", async () => {
    const { manager, connector } = createFixture([a]);
    await manager.start();
    const reloading = expect(manager.reload([moved("a"), b])).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await manager.close();
    await reloading;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connector.attempts.length).toBeLessThanOrEqual(3);
    expect(manager.servers().every(({ status }) => status === "closed")).toBe(true);
  });

  it("waits until removed servers have closed, and so does a concurrent close()", async () => {
    const { manager, sessions } = createFixture([a, b]);
    await manager.start();
    const over: string[] = [];
    const release = sessions.get("a")?.holdClose();
    const reloading = manager.reload([b]).then(() => over.push("reload"));
    await vi.advanceTimersByTimeAsync(100);
    expect(manager.servers().map(({ name }) => name)).toEqual(["b"]);
    const closing = manager.close().then(() => over.push("close"));
    await vi.advanceTimersByTimeAsync(100);
    expect(over).toEqual([]);
    release?.();
    await Promise.allSettled([reloading, closing]);
    expect(over).toEqual(["close"]);
  });

  it("waits for a new server, and resolves even if that fails", async () => {
    const { manager, connector } = createFixture([], { byHand: true, retry: { maxRetries: 0 } });
    await manager.start();
    const reloading = manager.reload([a]);
    (await connector.nextAttempt()).fail(new McpError("MCP_CONNECT_FAILED", "refused"));
    expect(await reloading).toMatchObject({ added: ["a"] });
    expect(manager.servers()).toMatchObject([{ name: "a", status: "failed" }]);
    await manager.close();
  });

  it("emits status closed once for a server replaced and then removed while closing", async () => {
    const { manager, sessions } = createFixture([a]);
    await manager.start();
    const release = sessions.get("a")?.holdClose();
    const { of } = recordStatuses(manager);
    const reloads = [manager.reload([moved("a")]), manager.reload([])];
    await vi.advanceTimersByTimeAsync(0);
    release?.();
    await Promise.all(reloads);
    expect(of("a").filter((status) => status === "closed")).toHaveLength(1);
    await manager.close();
  });
});
