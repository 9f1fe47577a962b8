import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setLongTimer } from "../../src/server/long-timer.ts";

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("a long timer", () => {
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
