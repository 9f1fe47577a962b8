import { McpError } from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const refused = new McpError("MCP_CONNECT_FAILED", "refused", { server: "bad" });
const offering = (...names: string[]) => createFakeSession({ tools: names.map((name) => tool(name)) });

async function remembering(name: string) {
  const cache = createFakeToolCache();
  const server = await passThroughResolver(stdioDefinition(name), { signal: new AbortController().signal });
  cache.seed(server, { tools: [tool("remembered")] });
  return cache;
}

describe("a strict start", () => {
  const strict = { byHand: true, startup: { failures: "throw" } } as const;

  it("[R42] rejects at the first failure, once everything it had started is closed", async () => {
    const { manager, connector } = createFixture(["good", "bad", "slow"], strict);
    const starting = manager.start().catch((error: unknown) => error);
    const good = (await connector.nextAttempt()).open(offering("echo"));
    (await connector.nextAttempt()).fail(refused);
    const slow = await connector.nextAttempt();
    expect(await starting).toBe(refused);
    expect(good.closed).toBe(true);
    expect(slow.aborted).toBe(true);
    expect(manager.tools()).toEqual([]);
    expect(manager.servers().map(({ status }) => status)).toEqual(["closed", "closed", "closed"]);
    await expect(manager.callTool("mcp__good__echo")).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });

  it("closes as well what a call had connected before", async () => {
    const { manager, connector } = createFixture(["early", "bad"], strict);
    const calling = manager.callTool({ server: "early", tool: "echo" });
    const early = (await connector.nextAttempt()).open(offering("echo"));
    await calling;
    const starting = manager.start().catch((error: unknown) => error);
    (await connector.nextAttempt()).fail(refused);
    expect(await starting).toBe(refused);
    expect(early.closed).toBe(true);
  });

  it("waits for every server, even one that the catalog knows well, and not for a lazy one", async () => {
    const lazy = stdioDefinition("lazy", { lazy: true });
    const { manager, connector } = createFixture(["bad", lazy], {
      ...strict,
      cache: await remembering("bad"),
    });
    const starting = manager.start().catch((error: unknown) => error);
    const attempt = await connector.nextAttempt();
    await vi.advanceTimersByTimeAsync(10_000);
    attempt.fail(refused);
    expect(await starting).toBe(refused);
  });

  it("fails because of a server whose tools cannot be listed", async () => {
    const { manager, connector } = createFixture(["bad"], strict);
    const starting = manager.start().catch((error: unknown) => error);
    const session = offering("echo");
    const unlisted = new McpError("MCP_REQUEST_REJECTED", "no list");
    session.failLists(unlisted);
    (await connector.nextAttempt()).open(session);
    expect(await starting).toBe(unlisted);
    expect(session.closed).toBe(true);
  });

  it("may be tried again", async () => {
    const { manager, connector } = createFixture(["bad"], strict);
    const first = manager.start().catch((error: unknown) => error);
    (await connector.nextAttempt()).fail(refused);
    await first;
    const second = manager.start();
    (await connector.nextAttempt()).open(offering("echo"));
    expect((await second).ready).toHaveLength(1);
    await manager.close();
  });

  it("[R44] does not take for a failure that a server was disconnected meanwhile", async () => {
    const { manager, connector } = createFixture(["good", "unwanted"], strict);
    const starting = manager.start();
    (await connector.nextAttempt()).open(offering("echo"));
    await manager.disconnect("unwanted");
    expect((await starting).ready.map(({ name }) => name)).toEqual(["good"]);
    await manager.close();
  });

  it("ends with MCP_CLOSED or MCP_ABORTED, not with a failure, when it is given up", async () => {
    const { manager } = createFixture(["slow"], strict);
    const controller = new AbortController();
    const aborted = expect(manager.start({ signal: controller.signal })).rejects.toMatchObject({
      code: "MCP_ABORTED",
    });
    await vi.advanceTimersByTimeAsync(0);
    controller.abort();
    await aborted;
    const closed = expect(manager.start()).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await vi.advanceTimersByTimeAsync(0);
    await manager.close();
    await closed;
  });
});

describe("a start that drops what fails", () => {
  const dropping = { byHand: true, startup: { failures: "drop" } } as const;

  it("takes a failed server out, reports it, and does not try it again", async () => {
    const { manager, connector } = createFixture(["good", "bad"], dropping);
    const starting = manager.start();
    (await connector.nextAttempt()).open(offering("echo"));
    (await connector.nextAttempt()).fail(refused);
    const report = await starting;
    expect(report.ready.map(({ name }) => name)).toEqual(["good"]);
    expect(report.failed).toEqual([{ name: "bad", error: refused }]);
    expect(report.waiting).toEqual([]);
    expect(manager.servers().map(({ name }) => name)).toEqual(["good"]);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("takes its remembered tools out too, and a call that waited for it says why it failed", async () => {
    const { manager, connector } = createFixture(["bad"], { ...dropping, cache: await remembering("bad") });
    await manager.start();
    const calling = manager.callTool("mcp__bad__remembered").catch((error: unknown) => error);
    (await connector.nextAttempt()).fail(refused);
    expect(await calling).toMatchObject({ code: "MCP_CONNECT_FAILED", outcome: "not-sent", cause: refused });
    expect(manager.tools()).toEqual([]);
    const again = manager.callTool({ server: "bad", tool: "remembered" });
    await expect(again).rejects.toMatchObject({ code: "MCP_CONNECT_FAILED" });
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });

  it("brings it back with reconnect, and drops it again if that fails", async () => {
    const { manager, connector } = createFixture(["bad"], dropping);
    const starting = manager.start();
    (await connector.nextAttempt()).fail(refused);
    await starting;
    const failing = manager.reconnect("bad").catch((error: unknown) => error);
    (await connector.nextAttempt()).fail(refused);
    expect(await failing).toBe(refused);
    expect(manager.servers()).toEqual([]);
    const reconnecting = manager.reconnect("bad");
    (await connector.nextAttempt()).open(offering("echo"));
    await reconnecting;
    await vi.advanceTimersByTimeAsync(0);
    expect(manager.servers()).toMatchObject([{ name: "bad", status: "ready", tools: 1 }]);
    await manager.close();
  });

  it("[R37] shows no server once it is closed, and all of them when it starts again", async () => {
    const { manager, connector } = createFixture(["good", "bad"], dropping);
    for (const _ of ["once", "again"]) {
      const starting = manager.start();
      (await connector.nextAttempt()).open(offering("echo"));
      (await connector.nextAttempt()).fail(refused);
      await starting;
      expect(manager.servers()).toMatchObject([{ name: "good", status: "ready" }]);
      await manager.close();
      expect(manager.servers()).toEqual([]);
    }
    await expect(manager.callTool("mcp__good__echo")).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });

  it("tries it again when the configuration is read again, though nothing in it is different", async () => {
    const { manager, connector } = createFixture(["bad"], dropping);
    const starting = manager.start();
    (await connector.nextAttempt()).fail(refused);
    await starting;
    const reloading = manager.reload([stdioDefinition("bad")]);
    (await connector.nextAttempt()).open(offering("echo"));
    expect(await reloading).toMatchObject({ kept: ["bad"] });
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    await manager.close();
  });

  it("takes out a server that is connected but cannot be listed", async () => {
    const { manager, connector } = createFixture(["bad"], dropping);
    const starting = manager.start();
    const session = offering("echo");
    session.failLists(new McpError("MCP_REQUEST_REJECTED", "no list"));
    (await connector.nextAttempt()).open(session);
    expect((await starting).failed).toMatchObject([{ name: "bad", error: { code: "MCP_REQUEST_REJECTED" } }]);
    expect(manager.servers()).toEqual([]);
    expect(session.closed).toBe(true);
    await manager.close();
  });

  it("lets a server that was up recover, and drops it only when it is lost for good", async () => {
    const { manager, connector } = createFixture(["a"], {
      ...dropping,
      retry: { maxRetries: 1, jitter: "none" },
    });
    const starting = manager.start();
    const session = (await connector.nextAttempt()).open(offering("echo"));
    await starting;
    session.lose(new McpError("MCP_SERVER_EXITED", "exited"));
    expect(manager.servers()).toMatchObject([{ status: "backoff", tools: 1 }]);
    await vi.advanceTimersByTimeAsync(1_000);
    (await connector.nextAttempt()).fail(refused);
    await vi.advanceTimersByTimeAsync(0);
    expect(manager.servers()).toEqual([]);
    expect(manager.tools()).toEqual([]);
    await manager.close();
  });
});

describe("reconnecting only what failed", () => {
  it.each(["keep", "drop"] as const)(
    "[R33] tries a failed server once and leaves the others alone (%s)",
    async (failures) => {
      const { manager, connector } = createFixture(["good", "bad"], {
        byHand: true,
        startup: { failures },
        retry: { maxRetries: 1, jitter: "none" },
      });
      const starting = manager.start();
      const good = (await connector.nextAttempt()).open(offering("echo"));
      (await connector.nextAttempt()).fail(refused);
      await starting;
      await vi.advanceTimersByTimeAsync(1_000);
      if (failures === "keep") (await connector.nextAttempt()).fail(refused);
      await vi.advanceTimersByTimeAsync(0);
      const reconnecting = manager.reconnect(undefined, { only: "failed" });
      (await connector.nextAttempt()).open(offering("echo"));
      await reconnecting;
      expect(good.closed).toBe(false);
      expect(manager.servers().map(({ status }) => status)).toEqual(["ready", "ready"]);
      await manager.close();
    },
  );

  it("includes a server that is connected but could not be listed, and is nothing where nothing failed", async () => {
    const { manager, connector, sessions } = createFixture(["a", "b"]);
    await manager.start();
    await manager.reconnect(undefined, { only: "failed" });
    expect(connector.attempts).toHaveLength(2);
    sessions.get("b")?.failLists(new McpError("MCP_REQUEST_REJECTED", "no"));
    const refreshing = manager.refreshTools("b").catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    await refreshing;
    await manager.reconnect("b", { only: "failed" });
    await manager.reconnect("a", { only: "failed" });
    expect(connector.attempts.map(({ server }) => server.name)).toEqual(["a", "b", "b"]);
    await manager.close();
  });

  it("rejects with the cause, after all of them were tried", async () => {
    const { manager, connector } = createFixture(["a", "b"], { byHand: true, retry: { maxRetries: 0 } });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(refused);
    (await connector.nextAttempt()).fail(refused);
    await starting;
    const reconnecting = manager.reconnect(undefined, { only: "failed" }).catch((error: unknown) => error);
    (await connector.nextAttempt()).fail(refused);
    (await connector.nextAttempt()).open(offering("echo"));
    expect(await reconnecting).toBe(refused);
    expect(manager.servers().map(({ status }) => status)).toEqual(["failed", "ready"]);
    await manager.close();
  });
});
