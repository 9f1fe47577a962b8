import { McpError } from "@jackfield/mcp-core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HandshakePacing } from "../../src/server/handshake-pacing.ts";
import { createFixture } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The most that any second holds, wherever it begins. */
function mostInASecond(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(
    ...sorted.map((from) => sorted.filter((time) => time >= from && time < from + 1_000).length),
  );
}

describe("retry pacing", () => {
  it("keeps the wanted times while no second is full", () => {
    const pacing = new HandshakePacing(2, 1);
    const now = Date.now();
    expect([pacing.placeFor(now + 5), pacing.placeFor(now + 1_700), pacing.placeFor(now + 700)]).toEqual([
      now + 5,
      now + 1_700,
      now + 700,
    ]);
  });

  it("frees the places of seconds that have passed", () => {
    const pacing = new HandshakePacing(1, 1);
    const now = Date.now();
    pacing.placeFor(now);
    vi.setSystemTime(now + 2_000);
    expect(pacing.placeFor(now)).toBe(now);
  });

  it("never makes a retry earlier, and puts no more than the limit into any second", () => {
    const wanted = fc.array(fc.nat({ max: 5_000 }), { maxLength: 60 });
    const property = fc.property(wanted, fc.integer({ min: 1, max: 5 }), (delays, share) => {
      const pacing = new HandshakePacing(share, 1);
      const now = Date.now();
      const given = delays.map((delay) => pacing.placeFor(now + delay));
      expect(given.every((time, index) => time >= now + (delays[index] ?? 0))).toBe(true);
      if (given.length > 0) expect(mostInASecond(given)).toBeLessThanOrEqual(share);
    });
    fc.assert(property);
  });
});

describe("a thousand servers that are lost at once", () => {
  it("[R24] reconnect at most 50 per second, and all within 30 seconds", async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `s${index}`);
    const { manager, sessions, connector } = createFixture(names, { retry: { jitter: "full" } });
    await manager.start();
    const lostAt = Date.now();
    for (const session of sessions.values()) session.lose(new McpError("MCP_SERVER_EXITED", "power cut"));
    const counts: number[] = [];
    for (let step = 0; step < 300; step += 1) {
      await vi.advanceTimersByTimeAsync(100);
      counts.push(connector.attempts.length - names.length);
    }
    const perSecond = counts.map((count, index) => count - (counts[index - 10] ?? 0));
    expect(Math.max(...perSecond)).toBeLessThanOrEqual(50);
    expect(counts.at(-1)).toBe(1_000);
    expect(Date.now() - lostAt).toBe(30_000);
    expect(manager.servers().every(({ status }) => status === "ready")).toBe(true);
    await manager.close();
  });
});
