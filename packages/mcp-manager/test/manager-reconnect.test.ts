import { McpError } from "@jackfield/mcp-core";
import { httpDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture } from "./manager-fixture.ts";

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("a reconnect requested during another one", () => {
  it("makes a new attempt if disconnect() cancelled the other one", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const doomed = expect(manager.reconnect("a")).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await connector.nextAttempt();
    const disconnecting = manager.disconnect("a");
    const wanted = manager.reconnect("a");
    (await connector.nextAttempt()).open();
    await Promise.all([doomed, disconnecting, wanted]);
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    expect(connector.attempts).toHaveLength(2);
    await manager.close();
  });

  it("makes a new attempt if a listener requests it on status failed", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true, retry: { maxRetries: 0 } });
    let again: Promise<void> | undefined;
    manager.on("statusChanged", ({ snapshot }) => {
      if (snapshot.status === "failed") again = manager.reconnect("a");
    });
    const refused = new McpError("MCP_CONNECT_FAILED", "refused");
    const first = expect(manager.reconnect("a")).rejects.toBe(refused);
    (await connector.nextAttempt()).fail(refused);
    (await connector.nextAttempt()).open();
    await first;
    await again;
    expect(again).toBeDefined();
    expect(manager.servers()).toMatchObject([{ status: "ready" }]);
    await manager.close();
  });

  it("[R3] joins the attempt that is under way", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const both = [manager.reconnect("a"), manager.reconnect("a")];
    const attempt = await connector.nextAttempt();
    both.push(manager.reconnect("a"));
    attempt.open();
    await Promise.all(both);
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });
});

describe("a server that sends a very long Retry-After", () => {
  const refusal = (retryAfterMs: number) =>
    new McpError("MCP_CONNECT_FAILED", "503", { httpStatus: 503, retryAfterMs });

  it.each([30 * DAY_MS, Number.POSITIVE_INFINITY])("is not retried before %d ms", async (pauseMs) => {
    const { manager, connector } = createFixture([httpDefinition("a")], { byHand: true });
    const starting = manager.start();
    (await connector.nextAttempt()).fail(refusal(pauseMs));
    await starting;
    await vi.advanceTimersByTimeAsync(30 * DAY_MS - 2_000);
    expect(connector.attempts).toHaveLength(1);
    const { retryAt } = manager.servers()[0] ?? {};
    expect(Number.isNaN(new Date(retryAt ?? Number.NaN).getTime())).toBe(false);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(connector.attempts).toHaveLength(pauseMs === 30 * DAY_MS ? 2 : 1);
    await manager.close();
  });

  it("enters backoff, even as one of 60 such servers", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `s${index}`);
    const { manager, connector } = createFixture(
      names.map((name) => httpDefinition(name)),
      {
        byHand: true,
        startup: { concurrency: 100 },
      },
    );
    const starting = manager.start();
    for (const _ of names) (await connector.nextAttempt()).fail(refusal(Number.POSITIVE_INFINITY));
    await starting;
    expect(manager.servers().every(({ status }) => status === "backoff")).toBe(true);
    await manager.close();
  });
});

describe("the option only of reconnect()", () => {
  it.each(["faild", "", null, 1])("is rejected as %j, and nothing is reconnected", async (only) => {
    const { manager, connector } = createFixture(["a"]);
    await manager.start();
    const reconnecting = manager.reconnect(undefined, { only: only as "failed" });
    await expect(reconnecting).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  });
});

it.each([null, 5, "failed", []])(
  "reconnect() rejects %j as its options and reconnects nothing",
  async (options) => {
    const { manager, connector } = createFixture(["a"]);
    await manager.start();
    for (const name of ["a", undefined]) {
      const error = await manager.reconnect(name, options as never).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(McpError);
      expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID" });
    }
    expect(connector.attempts).toHaveLength(1);
    await manager.close();
  },
);
