import { McpError, type ServerDefinition } from "@jackfield/mcp-core";
import { createFakeSession, type FakeAnswer, httpDefinition, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What the manager does with a server when the deadline of a ping has passed. */
const LATE = new McpError("MCP_CALL_TIMEOUT", "No answer in time.");
const silent: FakeAnswer = async (_method, _params, { timeoutMs = 0 }) => {
  await new Promise((resolve) => setTimeout(resolve, timeoutMs));
  throw LATE;
};

/** The same, and calls are left to their callers. */
const silentToCalls: FakeAnswer = (method, params, options) =>
  method === "ping" ? silent(method, params, options) : new Promise(() => {});

/** A manager of one server, whose sessions open at once and answer as the test says. */
async function started(
  definition: ServerDefinition,
  answer: FakeAnswer,
  options: Parameters<typeof createFixture>[1] & { readonly era?: "legacy" | "modern" } = {},
) {
  const { era = "legacy", ...rest } = options;
  const fixture = createFixture([definition], { ...rest, byHand: true });
  const unhealthy: unknown[] = [];
  fixture.manager.on("unhealthy", ({ server, error }) => unhealthy.push([server, error.code]));
  const open = async (answers = answer) => {
    const attempt = await fixture.connector.nextAttempt();
    return attempt.open(createFakeSession({ handshake: { era }, tools: [tool("echo")], answer: answers }));
  };
  const starting = fixture.manager.start();
  const session = await open();
  await starting;
  const pings = () => session.requests.filter(({ method }) => method === "ping").length;
  return { ...fixture, session, open, unhealthy, pings };
}

describe("the health check of a runtime", () => {
  it("[S5] reports a silent remote server as unhealthy and reconnects it, once", async () => {
    const { manager, session, open, unhealthy, connector, pings } = await started(
      httpDefinition("s"),
      silent,
    );
    await using _ = manager;
    await vi.advanceTimersByTimeAsync(45_000);
    expect(pings()).toBe(1);
    expect(unhealthy).toEqual([["s", "MCP_SESSION_LOST"]]);
    expect(session.closed).toBe(true);
    const next = await open(async () => ({}));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(manager.servers()).toMatchObject([{ status: "ready", error: undefined }]);
    expect(connector.attempts).toHaveLength(2);
    expect(next.requests.length).toBeGreaterThan(10);
    expect(unhealthy).toHaveLength(1);
  });

  it("[S5] keeps a server that answers ping with Method not found", async () => {
    const refuse = () => {
      throw new McpError("MCP_REQUEST_REJECTED", "Method not found.", { rpcCode: -32601 });
    };
    const heartbeat = { threshold: 1 };
    const { manager, session, unhealthy } = await started(httpDefinition("s"), refuse, {
      retry: { heartbeat },
    });
    await using _ = manager;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(session.closed).toBe(false);
    expect(unhealthy).toEqual([]);
  });

  it("does not ping a server that sends notifications anyway", async () => {
    const { manager, session, pings } = await started(httpDefinition("s"), silent);
    await using _ = manager;
    for (let second = 0; second < 300; second += 20) {
      session.notify({ method: "notifications/message" });
      await vi.advanceTimersByTimeAsync(20_000);
    }
    expect(pings()).toBe(0);
  });

  it("[S5] gives a silent server up even during a call without a deadline", async () => {
    const { manager, session, unhealthy } = await started(httpDefinition("s"), silentToCalls);
    await using _ = manager;
    const endless = manager.callTool({ server: "s", tool: "echo" }, {}, { timeoutMs: 0, maxTotalMs: 0 });
    const lost = expect(endless).rejects.toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    await vi.advanceTimersByTimeAsync(45_000);
    await lost;
    expect(session.closed).toBe(true);
    expect(unhealthy).toEqual([["s", "MCP_SESSION_LOST"]]);
  });

  it("does not ping a server during a call with a deadline, however distant", async () => {
    const { manager, session, pings } = await started(httpDefinition("s"), silentToCalls);
    await using _ = manager;
    const options = { timeoutMs: 0, maxTotalMs: 3_600_000 };
    void manager.callTool({ server: "s", tool: "echo" }, {}, options).catch(() => {});
    await vi.advanceTimersByTimeAsync(1_800_000);
    expect(pings()).toBe(0);
    expect(session.closed).toBe(false);
  });

  it.each([
    ["on this machine", stdioDefinition("s"), {}],
    ["of the modern era, which has no ping", httpDefinition("s"), { era: "modern" } as const],
    ["if intervalMs is 0", httpDefinition("s"), { retry: { heartbeat: { intervalMs: 0 } } }],
  ])("does not ping a server %s", async (_which, definition, options) => {
    const { manager, session, pings } = await started(definition, silent, options);
    await using _ = manager;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(pings()).toBe(0);
    expect(session.closed).toBe(false);
  });

  it("pings a server on this machine if a heartbeat is configured", async () => {
    const heartbeat = { intervalMs: 1_000, timeoutMs: 100, threshold: 1 };
    const { manager, unhealthy } = await started(stdioDefinition("s"), silent, { retry: { heartbeat } });
    await using _ = manager;
    await vi.advanceTimersByTimeAsync(1_100);
    expect(unhealthy).toHaveLength(1);
  });

  it("[S5] sends no ping and reports nothing as unhealthy during close()", async () => {
    const { manager, session, unhealthy, pings } = await started(httpDefinition("s"), silent);
    await vi.advanceTimersByTimeAsync(31_000); // One ping is under way.
    const release = session.holdClose();
    const closing = manager.close();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(pings()).toBe(1);
    release();
    await closing;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(pings()).toBe(1);
    expect(unhealthy).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("reconnects each server once after the machine slept for hours", async () => {
    const definitions = ["a", "b", "c"].map((name) => httpDefinition(name));
    const { manager, connector } = createFixture(definitions, { byHand: true, retry: { jitter: "none" } });
    await using _ = manager;
    const starting = manager.start();
    const open = async (answer: FakeAnswer) => {
      for (const _ of definitions)
        (await connector.nextAttempt()).open(createFakeSession({ handshake: { era: "legacy" }, answer }));
    };
    await open(silent);
    await starting;
    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    await vi.advanceTimersByTimeAsync(45_000);
    await open(async () => ({}));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(connector.attempts).toHaveLength(6);
    expect(manager.servers().map(({ status }) => status)).toEqual(["ready", "ready", "ready"]);
  });

  it("[R45] refuses a threshold of 0", () => {
    expect(() => createFixture(["s"], { retry: { heartbeat: { threshold: 0 } } })).toThrow(
      '"retry.heartbeat.threshold"',
    );
  });
});
