import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createDeadline,
  MAX_TIMER_MS,
  McpError,
  raceSignal,
  setLongTimer,
  startTimer,
} from "../src/index.ts";

const aborted = () => new McpError("MCP_ABORTED", "aborted");
const expired = () => new McpError("MCP_CALL_TIMEOUT", "expired");

it("a timer of more than 2^31-1 ms does not fire at once", () => {
  vi.useFakeTimers();
  try {
    const due = vi.fn();
    startTimer(due, 10 * MAX_TIMER_MS);
    vi.advanceTimersByTime(MAX_TIMER_MS - 1);
    expect(due).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(due).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});

describe("a deadline", () => {
  it("leaves no listener on the caller's signal, however often it is used", async () => {
    const { signal } = new AbortController();
    for (let use = 0; use < 1_000; use += 1) {
      using deadline = createDeadline({ signal, timeoutMs: 0, aborted, expired });
      await raceSignal(Promise.resolve(), deadline.signal);
      expect(getEventListeners(deadline.signal, "abort")).toEqual([]);
    }
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it.each([
    ["[T11] stays the reason if the caller aborts after it has passed", 100, 150, "MCP_CALL_TIMEOUT"],
    ["[T12] is not the reason if the caller aborted before it passed", 100, 50, "MCP_ABORTED"],
  ])("%s", async (_title, timeoutMs, abortedAfterMs, code) => {
    vi.useFakeTimers();
    try {
      const caller = new AbortController();
      using deadline = createDeadline({ signal: caller.signal, timeoutMs, aborted, expired });
      const settled = vi.fn();
      const late = Promise.withResolvers<void>();
      raceSignal(late.promise, deadline.signal).catch(settled);
      setTimeout(() => caller.abort(), abortedAfterMs);
      await vi.advanceTimersByTimeAsync(1_000);
      late.reject(new Error("the body could not be read"));
      await vi.advanceTimersByTimeAsync(0);
      expect(deadline.signal.reason).toMatchObject({ code });
      expect(settled).toHaveBeenCalledExactlyOnceWith(deadline.signal.reason);
    } finally {
      vi.useRealTimers();
    }
  });

  it("gives the caller's reason to the error that it makes of it", () => {
    const caller = new AbortController();
    const toError = (cause: unknown) => new McpError("MCP_ABORTED", "aborted", { cause });
    using deadline = createDeadline({ signal: caller.signal, timeoutMs: 0, aborted: toError, expired });
    caller.abort("enough");
    expect(deadline.signal.reason).toMatchObject({ code: "MCP_ABORTED", cause: "enough" });
    using late = createDeadline({ signal: caller.signal, timeoutMs: 0, aborted: toError, expired });
    expect(late.signal.reason).toMatchObject({ cause: "enough" });
  });

  it("can be raced with an error other than its reason", async () => {
    const control = new AbortController();
    const raced = raceSignal(new Promise<never>(() => {}), control.signal, () => expired());
    control.abort();
    await expect(raced).rejects.toMatchObject({ code: "MCP_CALL_TIMEOUT" });
  });

  it("that has already passed rejects, without an unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const reason = aborted();
    await expect(raceSignal(Promise.reject(expired()), AbortSignal.abort(reason))).rejects.toBe(reason);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});

const DAY_MS = 86_400_000;

describe("a long timer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it.each([1, DAY_MS, 2 ** 31 - 1, 2 ** 31, 30 * DAY_MS, 100 * DAY_MS])("fires after %d ms, once", (ms) => {
    const due = vi.fn();
    setLongTimer(Date.now() + ms, due);
    vi.advanceTimersByTime(ms - 1);
    expect(due).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(due).toHaveBeenCalledOnce();
  });

  it("fires for a time in the past, and never for Infinity", () => {
    const past = vi.fn();
    const never = vi.fn();
    setLongTimer(Date.now() - 5, past);
    const timer = setLongTimer(Number.POSITIVE_INFINITY, never);
    vi.advanceTimersByTime(60 * DAY_MS);
    expect(past).toHaveBeenCalledOnce();
    expect(never).not.toHaveBeenCalled();
    timer.clear();
  });

  it.each([0, -5])("fires without setTimeout if %d ms are left, and can still be held or cleared", (ms) => {
    const due = vi.fn();
    const armed = vi.spyOn(globalThis, "setTimeout");
    setLongTimer(Date.now() + ms, due);
    expect(armed).not.toHaveBeenCalled(); // The shortest takes a millisecond where timers are real.
    armed.mockRestore();
    const heldTimer = setLongTimer(Date.now() + ms, due);
    const held = heldTimer.hold();
    held[Symbol.dispose]();
    setLongTimer(Date.now() + ms, due).clear();
    expect(due).not.toHaveBeenCalled();
    vi.advanceTimersByTime(0);
    expect(due).toHaveBeenCalledTimes(2);
  });

  it("can be cleared after waiting longer than one setTimeout can", () => {
    const due = vi.fn();
    const timer = setLongTimer(Date.now() + 30 * DAY_MS, due);
    vi.advanceTimersByTime(29 * DAY_MS);
    timer.clear();
    expect(vi.getTimerCount()).toBe(0);
    expect(due).not.toHaveBeenCalled();
  });

  it("keeps the process alive only while held, even longer than one setTimeout can wait", () => {
    const armed = vi.spyOn(globalThis, "setTimeout");
    const isRefed = () => armed.mock.results.at(-1)?.value.hasRef();
    const timer = setLongTimer(Date.now() + 60 * DAY_MS, () => {});
    const [first, second] = [timer.hold(), timer.hold()];
    expect(isRefed()).toBe(true);
    vi.advanceTimersByTime(30 * DAY_MS);
    expect(isRefed()).toBe(true);
    first[Symbol.dispose]();
    expect(isRefed()).toBe(true);
    second[Symbol.dispose]();
    expect(isRefed()).toBe(false);
    vi.advanceTimersByTime(25 * DAY_MS);
    expect(isRefed()).toBe(false);
    timer.clear();
    armed.mockRestore();
  });
});
