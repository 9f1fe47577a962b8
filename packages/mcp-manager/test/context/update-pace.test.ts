import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createUpdatePace } from "../../src/context/update-pace.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the pace of updates", () => {
  it("[N13] tells ten updates within half a second once, when it has been quiet", () => {
    const pace = createUpdatePace(500);
    const told: number[] = [];
    for (let update = 1; update <= 10; update += 1) {
      pace.push("a", () => told.push(update));
      vi.advanceTimersByTime(50);
    }
    expect(told).toEqual([]);
    vi.advanceTimersByTime(450);
    expect(told).toEqual([10]);
  });

  it("[N13] keeps resources apart", () => {
    const pace = createUpdatePace(500);
    const told: string[] = [];
    pace.push("a", () => told.push("a"));
    vi.advanceTimersByTime(400);
    pace.push("b", () => told.push("b"));
    vi.advanceTimersByTime(100);
    expect(told).toEqual(["a"]);
    vi.advanceTimersByTime(400);
    expect(told).toEqual(["a", "b"]);
  });

  it("tells of a resource that is never quiet, and begins anew afterwards", () => {
    const pace = createUpdatePace(100);
    let told = 0;
    for (let update = 0; update < 30; update += 1) {
      pace.push("a", () => {
        told += 1;
      });
      vi.advanceTimersByTime(99);
    }
    expect(told).toBe(2);
  });

  it("[N13] tells nothing after it was cleared", () => {
    const pace = createUpdatePace(100);
    const tell = vi.fn();
    pace.push("a", tell);
    pace.clear();
    vi.advanceTimersByTime(10_000);
    expect(tell).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tells at once where no pace is wanted", () => {
    const tell = vi.fn();
    createUpdatePace(0).push("a", tell);
    expect(tell).toHaveBeenCalledOnce();
  });
});
