import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UpdatePace } from "../../src/context/server-context.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the debouncing of resource updates", () => {
  it("[N13] reports ten updates within half a second once, after a quiet period", () => {
    const pace = new UpdatePace(500);
    const told: number[] = [];
    for (let update = 1; update <= 10; update += 1) {
      pace.push("a", () => told.push(update));
      vi.advanceTimersByTime(50);
    }
    expect(told).toEqual([]);
    vi.advanceTimersByTime(450);
    expect(told).toEqual([10]);
  });

  it("[N13] delays each resource separately", () => {
    const pace = new UpdatePace(500);
    const told: string[] = [];
    pace.push("a", () => told.push("a"));
    vi.advanceTimersByTime(400);
    pace.push("b", () => told.push("b"));
    vi.advanceTimersByTime(100);
    expect(told).toEqual(["a"]);
    vi.advanceTimersByTime(400);
    expect(told).toEqual(["a", "b"]);
  });

  it("still reports a resource that is never quiet, after ten quiet periods", () => {
    const pace = new UpdatePace(100);
    let told = 0;
    for (let update = 0; update < 30; update += 1) {
      pace.push("a", () => {
        told += 1;
      });
      vi.advanceTimersByTime(99);
    }
    expect(told).toBe(2);
  });

  it("[N13] reports nothing after clear()", () => {
    const pace = new UpdatePace(100);
    const tell = vi.fn();
    pace.push("a", tell);
    pace.clear();
    vi.advanceTimersByTime(10_000);
    expect(tell).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("reports at once if the quiet period is 0", () => {
    const tell = vi.fn();
    new UpdatePace(0).push("a", tell);
    expect(tell).toHaveBeenCalledOnce();
  });
});
