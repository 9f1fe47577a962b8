import { McpError, type ServerDefinition } from "@jackfield/mcp-core";
import {
  createFakeSession,
  type FakeConnector,
  httpDefinition,
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

const HOUR_MS = 3_600_000;
const refused = new McpError("MCP_CONNECT_FAILED", "refused", { server: "bad" });
const exited = new McpError("MCP_SERVER_EXITED", "exited", { server: "a" });
const offering = () => createFakeSession({ tools: [tool("echo")] });
const attemptsOf = ({ attempts }: FakeConnector, name: string) =>
  attempts.filter(({ server }) => server.name === name).length;

describe("a partly failed start", () => {
  async function startPartlyFailing() {
    const fixture = createFixture(["good", "bad"], { byHand: true, retry: { maxRetries: 0 } });
    const starting = fixture.manager.start();
    const good = (await fixture.connector.nextAttempt()).open(offering());
    (await fixture.connector.nextAttempt()).fail(refused);
    const report = await starting;
    expect(report.failed).toMatchObject([{ name: "bad" }]);
    return { ...fixture, good, report };
  }

  it("[C30] [R47] returns the same report when repeated, and reconnects nothing", async () => {
    const { manager, connector, good, report } = await startPartlyFailing();
    expect(await manager.start()).toBe(report);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(attemptsOf(connector, "good")).toBe(1);
    expect(attemptsOf(connector, "bad")).toBe(1);
    expect(good.closed).toBe(false);
    await manager.close();
  });

  it("[C30] is completed by reconnecting only the failed servers", async () => {
    const { manager, connector, good } = await startPartlyFailing();
    const reconnecting = manager.reconnect(undefined, { only: "failed" });
    (await connector.nextAttempt()).open(offering());
    await reconnecting;
    expect(attemptsOf(connector, "good")).toBe(1);
    expect(good.closed).toBe(false);
    expect(manager.servers().map(({ status }) => status)).toEqual(["ready", "ready"]);
    await manager.close();
  });
});

describe("a server that fails while a start waits at the gate", () => {
  it("[C25] is logged once, not again when the gate opens", async () => {
    const logged: string[] = [];
    const { manager, connector } = createFixture(["bad", "slow"], {
      byHand: true,
      startup: { uncached: "later" },
      retry: { maxRetries: 0 },
      log: (_level, message) => logged.push(message),
    });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(refused);
    await vi.advanceTimersByTimeAsync(249);
    expect(logged).toEqual(["refused"]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await starting).failed).toMatchObject([{ name: "bad" }]);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(logged).toEqual(["refused"]);
    await manager.close();
  });
});

describe("servers given as a one-shot iterable", () => {
  it("[R36] are used by every start, even after a failed one", async () => {
    function* once(): Generator<ServerDefinition> {
      yield stdioDefinition("a");
      yield stdioDefinition("b");
    }
    const { connector, manager } = createFixture([], {
      servers: once() as Iterable<ServerDefinition> as readonly ServerDefinition[],
      byHand: true,
      startup: { failures: "throw" },
    });
    const failing = expect(manager.start()).rejects.toBe(refused);
    (await connector.nextAttempt()).fail(refused);
    await failing;
    const again = manager.start();
    const open = async () => (await connector.nextAttempt()).open(offering());
    // The attempt for the second server was cancelled with the first start.
    await connector.nextAttempt();
    await Promise.all([open(), open()]);
    expect((await again).ready.map(({ name }) => name)).toEqual(["a", "b"]);
    await manager.close();
  });
});

describe("enabling a server by reload()", () => {
  it("[C12] changes neither status nor tools of the others", async () => {
    const a = stdioDefinition("a");
    const { manager, connector } = createFixture([a, stdioDefinition("b", { enabled: false })]);
    await manager.start();
    const statuses = recordStatuses(manager);
    const changed: string[] = [];
    const offered: number[] = [];
    manager.on("toolsChanged", ({ server }) => {
      changed.push(server);
      offered.push(manager.tools().filter((each) => each.server === "a").length);
    });
    await manager.reload([a, stdioDefinition("b")]);
    expect(statuses.of("a")).toEqual([]);
    expect(changed).toEqual(["b"]);
    expect(offered).toEqual([1]);
    expect(attemptsOf(connector, "a")).toBe(1);
    await manager.close();
  });
});

describe("a server whose retries are spent", () => {
  it.each([
    ["[R10] a process that was ready", stdioDefinition("a"), true],
    ["[R11] a remote server that was never reached", httpDefinition("a"), false],
  ])("%s stays failed and is not retried", async (_what, definition, wasUp) => {
    const { manager, connector } = createFixture([definition], {
      byHand: true,
      retry: { maxRetries: 2, restartsAtOnce: false, jitter: "none" },
    });
    const starting = manager.start();
    const first = await connector.nextAttempt();
    const session = wasUp ? first.open(offering()) : first.fail(refused);
    await starting;
    session?.lose(exited);
    for (const delayMs of [1_000, 2_000]) {
      await vi.advanceTimersByTimeAsync(delayMs);
      (await connector.nextAttempt()).fail(refused);
    }
    await vi.advanceTimersByTimeAsync(24 * HOUR_MS);
    expect(connector.attempts).toHaveLength(3);
    expect(manager.servers()).toMatchObject([{ status: "failed", retryAt: undefined }]);
    await manager.close();
  });
});
