import type { Progress } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ProgressPace } from "../../src/protocol/pending-request.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createPace() {
  const heard: number[] = [];
  const pace = new ProgressPace(({ progress }: Progress) => heard.push(progress));
  return { heard, pace };
}

describe("progress", () => {
  test("[R33] in a flood is reported at most 20 times a second, the latest at the end", () => {
    const { heard, pace } = createPace();
    for (let progress = 1; progress <= 10_000; progress += 1) {
      pace.push({ progress });
      if (progress % 1000 === 0) vi.advanceTimersByTime(500);
    }
    pace.end();
    expect(heard.length).toBeLessThanOrEqual(6 * 20);
    expect(heard.at(-1)).toBe(10_000);
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
  });

  test("at a slow pace is reported at once and completely", () => {
    const { heard, pace } = createPace();
    for (const progress of [1, 2, 3]) {
      pace.push({ progress });
      expect(heard.at(-1)).toBe(progress);
      vi.advanceTimersByTime(400);
    }
    pace.end();
    expect(heard).toEqual([1, 2, 3]);
  });

  test("that was held back is reported when the second is over", () => {
    const { heard, pace } = createPace();
    for (let progress = 1; progress <= 30; progress += 1) pace.push({ progress });
    expect(heard).toHaveLength(20);
    vi.advanceTimersByTime(1000);
    expect(heard.at(-1)).toBe(30);
    pace.end();
    expect(heard).toHaveLength(21);
    expect(vi.getTimerCount()).toBe(0);
  });
});
