import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { thisTurn } from "../src/turn.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a turn of promises", () => {
  it("is the same for all that ask during it, and another one afterwards", async () => {
    const turn = thisTurn();
    expect(thisTurn()).toBe(turn);
    await Promise.resolve();
    expect(thisTurn()).not.toBe(turn);
  });

  it("ends now while it lasts", () => {
    const turn = thisTurn();
    const before = turn.endedAt;
    vi.advanceTimersByTime(20);
    expect(turn.endedAt).toBe(before + 20);
  });

  it("keeps the time of its end", async () => {
    const turn = thisTurn();
    vi.advanceTimersByTime(20);
    await Promise.resolve();
    const ended = performance.now();
    vi.advanceTimersByTime(20);
    expect(turn.endedAt).toBe(ended);
  });
});
