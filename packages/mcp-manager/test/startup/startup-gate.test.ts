import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { longestWaitFirst, type Wait, waitAtGate, waitFor } from "../../src/startup.ts";

describe("how long a server may hold start-up", () => {
  it.each<[string, Parameters<typeof waitFor>[0], "wait" | "later", Wait]>([
    [
      "a fresh entry: not at all",
      { lazy: false, verdict: { freshness: "fresh", failedLately: false } },
      "wait",
      "none",
    ],
    [
      "a stale entry: up to the gate",
      { lazy: false, verdict: { freshness: "stale", failedLately: false } },
      "wait",
      "gate",
    ],
    [
      "no entry: until it has settled",
      { lazy: false, verdict: { freshness: "none", failedLately: false } },
      "wait",
      "settled",
    ],
    [
      "no entry, with uncached: 'later': up to the gate",
      { lazy: false, verdict: { freshness: "none", failedLately: false } },
      "later",
      "gate",
    ],
    [
      "no entry and it failed less than a minute ago: for a few seconds",
      { lazy: false, verdict: { freshness: "none", failedLately: true } },
      "wait",
      "briefly",
    ],
    [
      "the same with uncached: 'later': up to the gate",
      { lazy: false, verdict: { freshness: "none", failedLately: true } },
      "later",
      "gate",
    ],
    [
      "a lazy server: not at all",
      { lazy: true, verdict: { freshness: "none", failedLately: false } },
      "wait",
      "none",
    ],
  ])("%s", (_title, server, uncached, expected) => {
    expect(waitFor(server, uncached)).toBe(expected);
  });
});

describe("the order of a start", () => {
  it("begins with the servers it waits for, in configured order among equals", () => {
    const waits: Wait[] = ["none", "gate", "briefly", "settled", "none", "settled", "gate"];
    const servers = waits.map((wait, index) => ({ wait, index }));
    expect(longestWaitFirst(servers).map(({ index }) => index)).toEqual([3, 5, 2, 1, 6, 0, 4]);
  });
});

describe("the gate", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const never = new Promise<void>(() => {});
  const open = new AbortController().signal;

  it("opens at once if no server has to be waited for", async () => {
    await waitAtGate([{ wait: "none", settled: never }], 250, open);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("opens after gateMs if no server has to settle", async () => {
    let opened = false;
    const waiting = waitAtGate([{ wait: "gate", settled: never }], 250, open).then(() => {
      opened = true;
    });
    await vi.advanceTimersByTimeAsync(249);
    expect(opened).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(opened).toBe(true);
  });

  it.each<[what: string, gateMs: number, later: Wait, opensAfterMs: number]>([
    ["at once if its late record is fresh", 250, "none", 0],
    ["after gateMs if its late record is stale", 250, "gate", 250],
    ["after three seconds if it has failed lately", 250, "briefly", 3_000],
    ["after gateMs if that is longer", 5_000, "briefly", 5_000],
  ])("opens for a server that is not known yet %s", async (_what, gateMs, later, opensAfterMs) => {
    const server = { wait: "settled", settled: never, laterWait: Promise.resolve(later) } as const;
    let opened = false;
    const waiting = waitAtGate([server], gateMs, open).then(() => {
      opened = true;
    });
    if (opensAfterMs > 0) await vi.advanceTimersByTimeAsync(opensAfterMs - 1);
    expect(opened).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([2 ** 31 - 1, 2 ** 31, 1e15, Number.POSITIVE_INFINITY])(
    "does not open at once for a gateMs of %d",
    async (gateMs) => {
      let opened = false;
      const controller = new AbortController();
      const servers = [{ wait: "gate", settled: never }] as const;
      const waiting = waitAtGate(servers, gateMs, controller.signal).then(() => {
        opened = true;
      });
      await vi.advanceTimersByTimeAsync(86_400_000);
      expect(opened).toBe(false);
      controller.abort();
      await waiting;
    },
  );

  it("opens early when all servers have settled", async () => {
    await waitAtGate([{ wait: "gate", settled: Promise.resolve() }], 250, open);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("stays closed beyond gateMs for a server that has to settle", async () => {
    const settled = Promise.withResolvers<void>();
    let opened = false;
    const waiting = waitAtGate([{ wait: "settled", settled: settled.promise }], 250, open).then(() => {
      opened = true;
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(opened).toBe(false);
    settled.resolve();
    await waiting;
  });

  it("stops waiting when the start is aborted", async () => {
    const controller = new AbortController();
    const waiting = waitAtGate([{ wait: "settled", settled: never }], 250, controller.signal);
    controller.abort();
    await waiting;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves no listener on the signal of the run", async () => {
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    await waitAtGate([{ wait: "settled", settled: Promise.resolve() }], 250, signal);
    const listeners = (calls: readonly unknown[][]) => calls.map(([, listener]) => listener);
    expect(added).toHaveBeenCalledOnce();
    expect(listeners(removed.mock.calls)).toEqual(listeners(added.mock.calls));
  });
});
