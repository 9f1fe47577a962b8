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

describe("a server that is given up", () => {
  it("[R2] is not shown as connected, its session is not used, and its tools stay on offer", async () => {
    const { manager, session } = await startedByHand({ retry: { maxRetries: 0, reviveOnCall: false } });
    session.lose(exited);
    expect(manager.servers()).toMatchObject([{ status: "failed", tools: 1, toolsFrom: "cache" }]);
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({ code: "MCP_SERVER_EXITED" });
    expect(session.requests).toEqual([]);
    await manager.close();
  });

  it("is tried once more by a call, when its last attempt is long ago", async () => {
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

describe("a server that a call tries once more", () => {
  const retry = { delaysMs: [1_000], maxDelayMs: 5_000, jitter: "none" } as const;

  async function spent() {
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

  it("[R10] is not tried with all its retries again", async () => {
    const { manager, connector } = await spent();
    const calling = manager.callTool({ server: "a", tool: "echo" }).catch(({ code }) => code);
    (await connector.nextAttempt()).fail(exited);
    expect(await calling).toBe("MCP_SERVER_EXITED");
    await vi.advanceTimersByTimeAsync(600_000);
    expect(connector.attempts).toHaveLength(3);
    await manager.close();
  });

  it.each([
    ["[R1] [S9] and dies soon after has failed again", 9_999, "failed"],
    ["and stays up has all its retries again", 10_000, "backoff"],
  ])("%s", async (_what, upForMs, status) => {
    const { manager, connector } = await spent();
    const calling = manager.callTool({ server: "a", tool: "echo" });
    const session = (await connector.nextAttempt()).open(offering("echo"));
    await calling;
    await vi.advanceTimersByTimeAsync(upForMs);
    session.lose(exited);
    expect(manager.servers()).toMatchObject([{ status }]);
    await manager.close();
  });

  it("is tried with all its retries again when it is reconnected", async () => {
    const { manager, connector } = await spent();
    const reconnecting = expect(manager.reconnect("a")).rejects.toBe(exited);
    (await connector.nextAttempt()).fail(exited);
    await reconnecting;
    expect(manager.servers()).toMatchObject([{ status: "backoff" }]);
    await manager.close();
  });
});

describe("a server that is about to be tried again", () => {
  it("has no error any more once it is disconnected", async () => {
    const { manager, session } = await startedByHand({ retry: { restartsAtOnce: false, jitter: "none" } });
    session.lose(exited);
    expect(manager.servers()).toMatchObject([{ status: "backoff", error: { code: "MCP_SERVER_EXITED" } }]);
    await manager.disconnect("a");
    expect(manager.servers()).toMatchObject([{ status: "idle", error: undefined }]);
    await manager.close();
  });

  it("keeps the process alive for a call without limits that waits for it, and for nobody else", async () => {
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
    ["that timed out is followed by another", "MCP_CONNECT_TIMEOUT", 2],
    ["that cannot be mended is not", "MCP_COMMAND_NOT_FOUND", 1],
  ] as const)("[C27] %s", async (_what, code, attempts) => {
    const { manager, connector } = createFixture(["a"], { byHand: true, retry: { maxRetries: 1 } });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(new McpError(code, "no", { server: "a" }));
    expect((await starting).failed).toMatchObject([{ name: "a", error: { code } }]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connector.attempts).toHaveLength(attempts);
    await manager.close();
  });

  it("[C26] can be waited for within a limit by whoever started with remembered tools", async () => {
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

describe("what the catalog answers late", () => {
  async function readingSlowly() {
    const answered = Promise.withResolvers<void>();
    const seeded = createFakeToolCache();
    const a = await passThroughResolver(stdioDefinition("a"), { signal: new AbortController().signal });
    seeded.seed(a, { tools: [tool("remembered")] });
    const getMany: ToolCache["getMany"] = (ids) => answered.promise.then(() => seeded.getMany(ids));
    const { manager } = createFixture(["a"], { cache: { ...seeded, getMany }, tools: [tool("live")] });
    const starting = manager.start();
    return { manager, starting, answer: answered.resolve };
  }

  it("[C9] offers nothing of a server that was disconnected meanwhile", async () => {
    const { manager, starting, answer } = await readingSlowly();
    await manager.disconnect("a");
    answer();
    await starting;
    expect(manager.tools()).toEqual([]);
    await manager.close();
  });

  it("offers nothing of a server whose place another has taken meanwhile", async () => {
    const { manager, starting, answer } = await readingSlowly();
    const reloading = manager.reload([stdioDefinition("a", { args: ["--other"] })]);
    await manager.refreshTools("a");
    answer();
    await Promise.all([starting, reloading]);
    expect(manager.tools()).toMatchObject([{ originalName: "live", origin: "live" }]);
    await manager.close();
  });

  it("[C10] does not replace what the server itself has said meanwhile", async () => {
    const { manager, starting, answer } = await readingSlowly();
    await manager.refreshTools("a");
    answer();
    await starting;
    expect(manager.tools()).toMatchObject([{ originalName: "live", origin: "live" }]);
    await manager.close();
  });
});

describe("a reconnect", () => {
  it("[R39] goes on for the others when one who shares it gives up", async () => {
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

  it("[R40] that is given up while the old session is closing lets it close, and the next one waits for that", async () => {
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

  it("takes nothing over from an attempt that does not hear that it was given up", async () => {
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
    const deaf = offering("old");
    attempts[0]?.resolve(deaf);
    await vi.advanceTimersByTimeAsync(0);
    expect(deaf.closed).toBe(true);
    expect(manager.servers()).toMatchObject([{ status: "connecting" }]);
    attempts[1]?.resolve(offering("new"));
    await Promise.all([starting, reconnecting]);
    expect(manager.tools()).toMatchObject([{ originalName: "new" }]);
    await manager.close();
  });

  it("loses against a disconnect that comes after it", async () => {
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
