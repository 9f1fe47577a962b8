import { getEventListeners } from "node:events";
import { type Connector, McpError } from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMcpManager } from "../../src/index.ts";
import { createFixture, tool } from "../manager-fixture.ts";

// The R numbers here are those of the fault catalogue, not of the cases from earlier runtimes (docs/coverage.md).

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const names = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);
const listChanged = { method: "notifications/tools/list_changed" };

describe("a server that floods the client with list_changed", () => {
  it("[R35] costs at most two listings for a thousand notifications in a second", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    for (let change = 0; change < 1_000; change += 1) {
      sessions.get("a")?.notify(listChanged);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect((sessions.get("a")?.listed.length ?? 0) - 1).toBeLessThanOrEqual(2);
    await manager.close();
  });

  it("[R35] costs at most ten listings a minute if it announces a change after each", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const session = sessions.get("a");
    const list = session?.list.bind(session);
    if (session !== undefined && list !== undefined) {
      session.list = (kind, options) => list(kind, options).finally(() => session.notify(listChanged));
    }
    session?.notify(listChanged);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(session?.listed.length).toBeLessThanOrEqual(11);
    await manager.close();
  });
});

describe("a server that hangs", () => {
  it("[R36] in its handshake fails at its own deadline; the 19 others are ready at once", async () => {
    const silent: Connector = (server, { signal }) =>
      new Promise((_resolve, reject) => {
        const timer = setTimeout(
          () => reject(new McpError("MCP_CONNECT_TIMEOUT", "too late", { server: server.name })),
          server.limits?.connectTimeoutMs,
        );
        signal.addEventListener("abort", () => clearTimeout(timer));
      });
    const { connector } = createFixture([], {});
    const manager = createMcpManager({
      servers: names(20).map((name) => stdioDefinition(name)),
      resolve: passThroughResolver,
      retry: { maxRetries: 0 },
      connect: (server, options) =>
        server.name === "s7"
          ? silent(server, options)
          : Promise.resolve(createFakeSession({ tools: [tool("echo")] })),
    });
    expect(connector.attempts).toEqual([]);
    const starting = manager.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(manager.servers().filter(({ status }) => status === "ready")).toHaveLength(19);
    await expect(manager.callTool("mcp__s19__echo")).resolves.toBeDefined();
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await starting).failed).toMatchObject([{ name: "s7", error: { code: "MCP_CONNECT_TIMEOUT" } }]);
    await manager.close();
  });

  it("[R37] in its first listing and ignores the abort fails after callTimeoutMs if that is shorter", async () => {
    const { manager, connector } = createFixture(
      [stdioDefinition("a", { limits: { callTimeoutMs: 7_000 } })],
      {
        byHand: true,
      },
    );
    const starting = manager.start();
    const session = createFakeSession();
    session.list = () => new Promise(() => {});
    (await connector.nextAttempt()).open(session);
    await vi.advanceTimersByTimeAsync(14_000);
    expect((await starting).failed).toMatchObject([{ error: { code: "MCP_CALL_TIMEOUT" } }]);
    await manager.close();
  });

  it("[R37] in its first listing delays one start() by connectTimeoutMs, and the next by three seconds", async () => {
    const cache = createFakeToolCache();
    const hanging = () => {
      const session = createFakeSession();
      session.list = () => new Promise(() => {});
      return session;
    };
    const first = createFixture(["a"], { byHand: true, cache });
    const starting = first.manager.start();
    (await first.connector.nextAttempt()).open(hanging());
    await vi.advanceTimersByTimeAsync(30_000);
    const { failed } = await starting;
    expect(failed).toMatchObject([{ error: { code: "MCP_CALL_TIMEOUT" } }]);
    expect(failed[0]?.error.message).toContain("raise connectTimeoutMs");
    const second = createFixture(["a"], { byHand: true, cache });
    const again = second.manager.start();
    (await second.connector.nextAttempt()).open(hanging());
    await vi.advanceTimersByTimeAsync(3_000);
    expect((await again).waiting).toMatchObject([{ name: "a", status: "ready" }]);
    await Promise.all([first.manager.close(), second.manager.close()]);
  });

  it("[R37] in a later listing fails after callTimeoutMs", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const session = sessions.get("a");
    if (session !== undefined) session.list = () => new Promise(() => {});
    const refreshing = manager.refreshTools("a", { timeoutMs: 120_000 }).catch(({ message }) => message);
    await vi.advanceTimersByTimeAsync(60_001);
    expect(await refreshing).toContain("within 60000 ms; raise callTimeoutMs");
    await manager.close();
  });

  it("[R38] while connecting delays start() only to the gate; its cached tools are offered", async () => {
    const cache = createFakeToolCache();
    for (const name of names(20)) {
      const server = await passThroughResolver(stdioDefinition(name), {
        signal: new AbortController().signal,
      });
      cache.seed(server, { tools: [tool("echo")], listedAt: Date.now() - 7_200_000 });
    }
    const { manager, connector } = createFixture(names(20), { byHand: true, cache });
    const starting = manager.start();
    for (let index = 0; index < 20; index += 1) {
      const attempt = await connector.nextAttempt();
      if (attempt.server.name !== "s7") attempt.open(createFakeSession({ tools: [tool("echo")] }));
    }
    await vi.advanceTimersByTimeAsync(250);
    const report = await starting;
    expect(report.ready).toHaveLength(19);
    expect(report.cached).toMatchObject([{ name: "s7", toolsFrom: "stale" }]);
    expect(manager.tools()).toHaveLength(20);
    await manager.close();
  });

  it("[R38] while its definition is resolved does not delay the others", async () => {
    const { manager } = createFixture(["quick", "slow"], {
      cache: createFakeToolCache(),
      startup: { uncached: "later" },
      resolve: (definition, options) =>
        definition.name === "slow" ? new Promise(() => {}) : passThroughResolver(definition, options),
    });
    const starting = manager.start();
    await vi.advanceTimersByTimeAsync(1_250);
    expect((await starting).ready).toMatchObject([{ name: "quick" }]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(manager.servers()).toMatchObject([{}, { error: { code: "MCP_CONNECT_TIMEOUT" } }]);
    await manager.close();
  });

  it("[R53] on close() delays it by one closeTimeoutMs, even if fifty servers hang", async () => {
    const { manager, sessions } = createFixture(names(50), { limits: { closeTimeoutMs: 3_000 } });
    await manager.start();
    for (const session of sessions.values()) session.holdClose();
    let isClosed = false;
    const closing = manager.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
  });
});

describe("many operations at once", () => {
  it("[R48] a hundred first calls to one server connect it once", async () => {
    const { manager, connector } = createFixture([stdioDefinition("a", { lazy: true })]);
    await manager.start();
    const calls = Array.from({ length: 100 }, () => manager.callTool({ server: "a", tool: "echo" }));
    await Promise.all(calls);
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });

  it("[R50] a thousand close() calls share one promise, and a later call rejects with MCP_CLOSED", async () => {
    const { manager, sessions } = createFixture(["a"]);
    await manager.start();
    const closings = Array.from({ length: 1_000 }, () => manager.close());
    expect(new Set(closings).size).toBe(1);
    await closings[0];
    expect(sessions.get("a")?.closeCount).toBe(1);
    await expect(manager.callTool("mcp__a__echo")).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });

  it("[R44] ten thousand calls with one signal leave no listener on it", async () => {
    const { manager } = createFixture(["a"]);
    await manager.start();
    const { signal } = new AbortController();
    for (let call = 0; call < 10_000; call += 1) await manager.callTool("mcp__a__echo", {}, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await manager.close();
  });

  it("[R56] a thousand reconnects leave one open session, no listener warning and no timer", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    const { manager, sessions, connector } = createFixture(["a"]);
    await manager.start();
    const all = new Set([...sessions.values()]);
    for (let time = 0; time < 1_000; time += 1) {
      await manager.reconnect("a");
      for (const session of sessions.values()) all.add(session);
    }
    process.off("warning", note);
    expect(connector.attempts).toHaveLength(1_001);
    expect([...all].filter(({ closed }) => !closed)).toHaveLength(1);
    expect(warnings).toEqual([]);
    await manager.close();
  });
});

describe("when a server exits", () => {
  it("[R42] the call in flight rejects, and calls made before it is back succeed", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const session = createFakeSession({ tools: [tool("echo")], answer: () => new Promise(() => {}) });
    (await connector.nextAttempt()).open(session);
    await starting;
    const sent = manager.callTool("mcp__a__echo").catch((error: McpError) => error.outcome);
    await vi.advanceTimersByTimeAsync(0);
    session.lose(new McpError("MCP_SERVER_EXITED", "exited"));
    expect(await sent).toBe("unknown");
    const waiting = [manager.callTool("mcp__a__echo"), manager.callTool("mcp__a__echo")];
    await vi.advanceTimersByTimeAsync(1_000);
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    expect(await Promise.all(waiting)).toHaveLength(2);
    await manager.close();
  });
});

describe("a reload that changes one of twenty servers", () => {
  it("[R58] keeps the other nineteen sessions and their calls in flight", async () => {
    const answers: (() => void)[] = [];
    const { manager, connector } = createFixture(names(20), { byHand: true });
    const starting = manager.start();
    const answer = () => new Promise((resolve) => answers.push(() => resolve({ content: [] })));
    const open = async () =>
      (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")], answer }));
    const sessions = await Promise.all(names(20).map(open));
    await starting;
    const calls = names(20).map((name) => manager.callTool(`mcp__${name}__echo`).catch(({ code }) => code));
    await vi.advanceTimersByTimeAsync(0);
    const args = ["changed"];
    const reloading = manager.reload(
      names(20).map((name) => stdioDefinition(name, name === "s7" ? { args } : {})),
    );
    await open();
    await reloading;
    for (const settle of answers) settle();
    expect((await Promise.all(calls)).filter((result) => result === "MCP_CLOSED")).toHaveLength(1);
    expect(sessions.filter(({ closed }) => closed)).toHaveLength(1);
    await manager.close();
  });
});
