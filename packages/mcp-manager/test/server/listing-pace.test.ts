import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ListingPace } from "../../src/server/list-loader.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the wait before an announced change is listed", () => {
  it("is 0 at first, and a second after a list that was different", () => {
    const pace = new ListingPace();
    expect(pace.waitMs()).toBe(0);
    pace.listed({ isChanged: true });
    expect(pace.waitMs()).toBe(1_000);
    vi.advanceTimersByTime(400);
    expect(pace.waitMs()).toBe(600);
  });

  it("doubles up to 30 seconds while lists are unchanged, and is a second again after a change", () => {
    const pace = new ListingPace();
    const waits = Array.from({ length: 7 }, () => {
      pace.listed({ isChanged: false });
      return pace.waitMs();
    });
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    pace.listed({ isChanged: true });
    expect(pace.waitMs()).toBe(1_000);
  });

  it("starts over after 30 seconds without a list", () => {
    const pace = new ListingPace();
    for (let time = 0; time < 5; time += 1) pace.listed({ isChanged: false });
    vi.advanceTimersByTime(30_000);
    expect(pace.waitMs()).toBe(0);
    pace.listed({ isChanged: false });
    expect(pace.waitMs()).toBe(2_000);
  });

  it("[R61] does not depend on the system clock", () => {
    const pace = new ListingPace();
    pace.listed({ isChanged: true });
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(pace.waitMs()).toBe(1_000);
  });
});
