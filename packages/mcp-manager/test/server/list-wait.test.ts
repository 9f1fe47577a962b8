import type { Listing } from "@jackfield/mcp-core";
import { createFakeSession } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ListLoader } from "../../src/server/list-loader.ts";
import { tool } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("a caller that waits for a list for a limited time", () => {
  async function held() {
    const session = createFakeSession({ tools: [tool("first")] });
    const loader = new ListLoader<Listing<"tools">>({
      server: "a",
      kind: "tools",
      repeatAfterMs: () => 0,
      list: (listed) => listed.list("tools", { signal: new AbortController().signal }),
      loaded: () => {},
      failed: () => {},
    });
    const release = session.holdLists();
    void loader.load(session);
    const outcomes: unknown[] = [];
    const ask = (mostMs: number) =>
      void loader.settleWithin(session, mostMs).then((outcome) => outcomes.push([mostMs, outcome]));
    return { loader, release, outcomes, ask };
  }

  it("waits that time from its own call, however long the list has been loading", async () => {
    const { outcomes, ask, loader } = await held();
    await vi.advanceTimersByTimeAsync(1_000);
    ask(500);
    await vi.advanceTimersByTimeAsync(499);
    expect(outcomes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(outcomes).toEqual([[500, undefined]]);
    loader.reset();
  });

  it("waits only the rest of its time if another caller has given up on the list", async () => {
    const { outcomes, ask, loader } = await held();
    ask(500);
    await vi.advanceTimersByTimeAsync(500);
    ask(400);
    ask(500);
    ask(800);
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes).toEqual([500, 400, 500].map((mostMs) => [mostMs, undefined]));
    await vi.advanceTimersByTimeAsync(300);
    expect(outcomes.at(-1)).toEqual([800, undefined]);
    loader.reset();
  });

  it("waits without a limit if the time is Infinity", async () => {
    const { outcomes, ask, release } = await held();
    ask(Number.POSITIVE_INFINITY);
    await vi.advanceTimersByTimeAsync(30 * 86_400_000);
    expect(outcomes).toEqual([]);
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes).toEqual([[Number.POSITIVE_INFINITY, { status: "live" }]]);
  });
});
