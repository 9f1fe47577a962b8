import { McpError, type Session, type ToolCache } from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const exited = new McpError("MCP_SERVER_EXITED", 'Server "a" exited with code 1.', { server: "a" });
const offering = (...names: string[]) => createFakeSession({ tools: names.map((name) => tool(name)) });

async function startedByHand(options: Parameters<typeof createFixture>[1] = {}) {
  const { manager, connector } = createFixture(["a"], { ...options, byHand: true });
  const starting = manager.start();
  const session = (await connector.nextAttempt()).open(offering("echo"));
  await starting;
  return { manager, connector, session };
}

describe("a failed server", () => {
  it("[R2] keeps its tools but sends no calls to its old session", async () => {
    const { manager, session } = await startedByHand({ retry: { maxRetries: 0, reviveOnCall: false } });
    session.lose(exited);
    expect(manager.servers()).toMatchObject([{ status: "failed", tools: 1, toolsFrom: "cache" }]);
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({ code: "MCP_SERVER_EXITED" });
    expect(session.requests).toEqual([]);
    await manager.close();
  });

  it("is tried once more by a call if its last attempt is older than maxDelayMs", async () => {
    const { manager, connector, session } = await startedByHand({
      retry: { maxRetries: 0, maxDelayMs: 5_000 },
    });
    session.lose(exited);
    await vi.advanceTimersByTimeAsync(4_999);
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({ code: "MCP_SERVER_EXITED" });
    await vi.advanceTimersByTimeAsync(1);
    const calling = manager.callTool("mcp__a__echo");
    (await connector.nextAttempt()).open(offering("echo"));
    await expect(calling).resolves.toBeDefined();
    await manager.close();
  });
});

describe("a failed server that a call tries once more", () => {
  const retry = { delaysMs: [1_000], maxDelayMs: 5_000, jitter: "none" } as const;

  async function createFailedServer() {
    const { manager, connector } = createFixture(["a"], { byHand: true, retry });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(exited);
    await starting;
    await vi.advanceTimersByTimeAsync(1_000);
    (await connector.nextAttempt()).fail(exited);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(manager.servers()).toMatchObject([{ status: "failed" }]);
    return { manager, connector };
  }

  it("[R10] gets one attempt, not all its retries again", async () => {
    const { manager, connector } = await createFailedServer();
    const calling = manager.callTool({ server: "a", tool: "echo" }).catch(({ code }) => code);
    (await connector.nextAttempt()).fail(exited);
    expect(await calling).toBe("MCP_SERVER_EXITED");
    await vi.advanceTimersByTimeAsync(600_000);
    expect(connector.attempts).toHaveLength(3);
    await manager.close();
  });

  it.each([
    ["[R1] [S9] is failed again if it dies before stableAfterMs", 9_999, "failed"],
    ["has all its retries again if it stays up for stableAfterMs", 10_000, "backoff"],
  ])("%s", async (_what, upForMs, status) => {
    const { manager, connector } = await createFailedServer();
    const calling = manager.callTool({ server: "a", tool: "echo" });
    const session = (await connector.nextAttempt()).open(offering("echo"));
    await calling;
    await vi.advanceTimersByTimeAsync(upForMs);
    session.lose(exited);
    expect(manager.servers()).toMatchObject([{ status }]);
    await manager.close();
  });

  it("has all its retries again after reconnect()", async () => {
    const { manager, connector } = await createFailedServer();
    const reconnecting = expect(manager.reconnect("a")).rejects.toBe(exited);
    (await connector.nextAttempt()).fail(exited);
    await reconnecting;
    expect(manager.servers()).toMatchObject([{ status: "backoff" }]);
    await manager.close();
  });
});

describe("a server in backoff", () => {
  it("loses its error when it is disconnected", async () => {
    const { manager, session } = await startedByHand({ retry: { restartsAtOnce: false, jitter: "none" } });
    session.lose(exited);
    expect(manager.servers()).toMatchObject([{ status: "backoff", error: { code: "MCP_SERVER_EXITED" } }]);
    await manager.disconnect("a");
    expect(manager.servers()).toMatchObject([{ status: "idle", error: undefined }]);
    await manager.close();
  });

  it("keeps the process alive only while a call without limits waits for its retry", async () => {
    const { manager, session } = await startedByHand({ retry: { restartsAtOnce: false, jitter: "none" } });
    const armed = vi.spyOn(globalThis, "setTimeout");
    session.lose(exited);
    const retry: NodeJS.Timeout = armed.mock.results[0]?.value;
    armed.mockRestore();
    expect(retry.hasRef()).toBe(false);
    const controller = new AbortController();
    const options = { timeoutMs: 0, maxTotalMs: 0, signal: controller.signal };
    const calling = manager.callTool("mcp__a__echo", {}, options).catch(({ code }) => code);
    await vi.advanceTimersByTimeAsync(0);
    expect(retry.hasRef()).toBe(true);
    controller.abort();
    expect(await calling).toBe("MCP_ABORTED");
    await vi.advanceTimersByTimeAsync(0);
    expect(retry.hasRef()).toBe(false);
    await manager.close();
  });
});

describe("a first attempt", () => {
  it.each([
    ["is followed by another if it timed out", "MCP_CONNECT_TIMEOUT", 2],
    ["is not followed by another if its error is not retryable", "MCP_COMMAND_NOT_FOUND", 1],
  ] as const)("[C27] %s", async (_what, code, attempts) => {
    const { manager, connector } = createFixture(["a"], { byHand: true, retry: { maxRetries: 1 } });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(new McpError(code, "no", { server: "a" }));
    expect((await starting).failed).toMatchObject([{ name: "a", error: { code } }]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connector.attempts).toHaveLength(attempts);
    await manager.close();
  });

  it("[C26] can be awaited by refreshTools(), with a timeout, after a start with cached tools", async () => {
    const cache = createFakeToolCache();
    const a = await passThroughResolver(stdioDefinition("a"), { signal: new AbortController().signal });
    cache.seed(a, { tools: [tool("remembered")] });
    const { manager, connector } = createFixture(["a"], { byHand: true, cache });
    await manager.start();
    const impatient = expect(manager.refreshTools("a", { timeoutMs: 100 })).rejects.toMatchObject({
      code: "MCP_CALL_TIMEOUT",
    });
    await vi.advanceTimersByTimeAsync(100);
    await impatient;
    const refreshing = manager.refreshTools("a");
    (await connector.nextAttempt()).open(offering("live"));
    await refreshing;
    expect(manager.tools()).toMatchObject([{ originalName: "live", origin: "live" }]);
    await manager.close();
  });
});

describe("a late answer of the catalog", () => {
  async function startWithSlowCatalog() {
    const answered = Promise.withResolvers<void>();
    const seeded = createFakeToolCache();
    const a = await passThroughResolver(stdioDefinition("a"), { signal: new AbortController().signal });
    seeded.seed(a, { tools: [tool("remembered")] });
    const getMany: ToolCache["getMany"] = (ids) => answered.promise.then(() => seeded.getMany(ids));
    const { manager } = createFixture(["a"], { cache: { ...seeded, getMany }, tools: [tool("live")] });
    const starting = manager.start();
    return { manager, starting, answer: answered.resolve };
  }

  it("[C9] offers no tools of a server disconnected meanwhile", async () => {
    const { manager, starting, answer } = await startWithSlowCatalog();
    await manager.disconnect("a");
    answer();
    await starting;
    expect(manager.tools()).toEqual([]);
    await manager.close();
  });

  it("offers no tools of a server replaced meanwhile", async () => {
    const { manager, starting, answer } = await startWithSlowCatalog();
    const reloading = manager.reload([stdioDefinition("a", { args: ["--other"] })]);
    await manager.refreshTools("a");
    answer();
    await Promise.all([starting, reloading]);
    expect(manager.tools()).toMatchObject([{ originalName: "live", origin: "live" }]);
    await manager.close();
  });

  it("[C10] does not replace live tools listed meanwhile", async () => {
    const { manager, starting, answer } = await startWithSlowCatalog();
    await manager.refreshTools("a");
    answer();
    await starting;
    expect(manager.tools()).toMatchObject([{ originalName: "live", origin: "live" }]);
    await manager.close();
  });
});

describe("a reconnect", () => {
  it("[R39] continues when one of its callers aborts", async () => {
    const { manager, connector } = await startedByHand();
    const controller = new AbortController();
    const owner = manager.reconnect("a");
    const sharer = manager.reconnect("a", { signal: controller.signal });
    const attempt = await connector.nextAttempt();
    controller.abort();
    await expect(sharer).rejects.toMatchObject({ code: "MCP_ABORTED" });
    attempt.open(offering("echo"));
    await owner;
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("[R40] waits until the old session has closed, also after an aborted reconnect", async () => {
    const { manager, connector, session } = await startedByHand();
    const release = session.holdClose();
    const controller = new AbortController();
    const givenUp = manager.reconnect("a", { signal: controller.signal });
    controller.abort();
    await expect(givenUp).rejects.toMatchObject({ code: "MCP_ABORTED" });
    const disconnecting = manager.disconnect("a");
    await vi.advanceTimersByTimeAsync(0);
    const next = manager.reconnect("a");
    await vi.advanceTimersByTimeAsync(100);
    expect(connector.attempts).toHaveLength(1);
    release();
    (await connector.nextAttempt()).open(offering("echo"));
    await Promise.all([disconnecting, next]);
    await manager.close();
  });

  it("closes the session of an earlier attempt that ignored its abort", async () => {
    const attempts: PromiseWithResolvers<Session>[] = [];
    const { manager } = createFixture(["a"], {
      connect: () => {
        const attempt = Promise.withResolvers<Session>();
        attempts.push(attempt);
        return attempt.promise;
      },
    });
    const starting = manager.start();
    await vi.advanceTimersByTimeAsync(0);
    const reconnecting = manager.reconnect("a");
    const late = offering("old");
    attempts[0]?.resolve(late);
    await vi.advanceTimersByTimeAsync(0);
    expect(late.closed).toBe(true);
    expect(manager.servers()).toMatchObject([{ status: "connecting" }]);
    attempts[1]?.resolve(offering("new"));
    await Promise.all([starting, reconnecting]);
    expect(manager.tools()).toMatchObject([{ originalName: "new" }]);
    await manager.close();
  });

  it("is cancelled by a later disconnect", async () => {
    const { manager, connector } = await startedByHand();
    const reconnecting = expect(manager.reconnect("a")).rejects.toMatchObject({ code: "MCP_CLOSED" });
    const disconnecting = manager.disconnect("a");
    await Promise.all([reconnecting, disconnecting]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(manager.servers()).toMatchObject([{ status: "idle", tools: 0 }]);
    expect(connector.attempts.length).toBeLessThanOrEqual(2);
    await manager.close();
  });
});
