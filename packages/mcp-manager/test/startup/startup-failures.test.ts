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

  it("[R42] rejects at the first failure and closes everything it had started", async () => {
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

  it("also closes a server that a call had connected before", async () => {
    const { manager, connector } = createFixture(["early", "bad"], strict);
    const calling = manager.callTool({ server: "early", tool: "echo" });
    const early = (await connector.nextAttempt()).open(offering("echo"));
    await calling;
    const starting = manager.start().catch((error: unknown) => error);
    (await connector.nextAttempt()).fail(refused);
    expect(await starting).toBe(refused);
    expect(early.closed).toBe(true);
  });

  it("waits for every server that is not lazy, even one with cached tools", async () => {
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

  it("rejects if the tools of a server cannot be listed", async () => {
    const { manager, connector } = createFixture(["bad"], strict);
    const starting = manager.start().catch((error: unknown) => error);
    const session = offering("echo");
    const unlisted = new McpError("MCP_REQUEST_REJECTED", "no list");
    session.failLists(unlisted);
    (await connector.nextAttempt()).open(session);
    expect(await starting).toBe(unlisted);
    expect(session.closed).toBe(true);
  });

  it("can be tried again", async () => {
    const { manager, connector } = createFixture(["bad"], strict);
    const first = manager.start().catch((error: unknown) => error);
    (await connector.nextAttempt()).fail(refused);
    await first;
    const second = manager.start();
    (await connector.nextAttempt()).open(offering("echo"));
    expect((await second).ready).toHaveLength(1);
    await manager.close();
  });

  it("[R44] does not count it as a failure if a server is disconnected during the start", async () => {
    const { manager, connector } = createFixture(["good", "unwanted"], strict);
    const starting = manager.start();
    (await connector.nextAttempt()).open(offering("echo"));
    await manager.disconnect("unwanted");
    expect((await starting).ready.map(({ name }) => name)).toEqual(["good"]);
    await manager.close();
  });

  it("rejects with MCP_ABORTED when aborted and with MCP_CLOSED when closed", async () => {
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

describe("a start that drops failed servers", () => {
  const dropping = { byHand: true, startup: { failures: "drop" } } as const;

  it("removes a failed server, reports it, and does not retry it", async () => {
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

  it("removes the cached tools of a failed server, and a waiting call rejects with the cause", async () => {
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

  it("restores a dropped server on reconnect(), or drops it again if that fails", async () => {
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

  it("[R37] shows no server after close(), and tries all of them when started again", async () => {
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

  it("retries a dropped server on reload(), even if its definition is unchanged", async () => {
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

  it("removes a server that connects but cannot be listed", async () => {
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

  it("retries a server that was ready, and drops it when no retry is left", async () => {
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

describe("reconnecting only failed servers", () => {
  it.each(["keep", "drop"] as const)(
    "[R33] tries a failed server once and leaves the others alone (failures: %s)",
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

  it("includes a connected server that could not be listed, and does nothing if none failed", async () => {
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

  it("rejects with the cause after trying all of them", async () => {
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
