import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createListingPace } from "../../src/server/listing-pace.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("how soon a server that announces changes is listed again", () => {
  it("is at once the first time, and a second after a list that was different", () => {
    const pace = createListingPace();
    expect(pace.waitMs()).toBe(0);
    pace.listed({ isChanged: true });
    expect(pace.waitMs()).toBe(1_000);
    vi.advanceTimersByTime(400);
    expect(pace.waitMs()).toBe(600);
  });

  it("is twice as long each time nothing was different, up to 30 seconds, and a second again after a change", () => {
    const pace = createListingPace();
    const waits = Array.from({ length: 7 }, () => {
      pace.listed({ isChanged: false });
      return pace.waitMs();
    });
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    pace.listed({ isChanged: true });
    expect(pace.waitMs()).toBe(1_000);
  });

  it("forgets after half a minute of quiet how often nothing was different", () => {
    const pace = createListingPace();
    for (let time = 0; time < 5; time += 1) pace.listed({ isChanged: false });
    vi.advanceTimersByTime(30_000);
    expect(pace.waitMs()).toBe(0);
    pace.listed({ isChanged: false });
    expect(pace.waitMs()).toBe(2_000);
  });

  it("[R61] does not depend on the clock being right", () => {
    const pace = createListingPace();
    pace.listed({ isChanged: true });
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(pace.waitMs()).toBe(1_000);
  });
});
