import { describe, expect, test } from "vitest";
import { createReconnectPace } from "../../src/http/reconnect-pace.ts";

/** Reopens a stream for `durationMs` and returns the times; `delivers` says whether each opening brings a message. */
function openings(
  durationMs: number,
  retryMs: number | undefined,
  options: { delivers: boolean; random: () => number },
) {
  let now = 0;
  const times: number[] = [];
  const pace = createReconnectPace({ now: () => now, random: options.random });
  while (now <= durationMs) {
    times.push(now);
    pace.opened();
    if (options.delivers) pace.recovered();
    now += pace.nextDelayMs(retryMs);
  }
  return times;
}

describe("a stream that keeps ending", () => {
  test.each([
    [0, true],
    [0, false],
    [undefined, true],
    [undefined, false],
    [86_400_000, true],
  ])(
    "[R24] with retry %s (brings a message: %s) is opened at most 12 times a minute",
    (retryMs, delivers) => {
      const times = openings(600_000, retryMs, { delivers, random: () => 0 });
      for (const start of times)
        expect(times.filter((time) => time >= start && time < start + 60_000).length).toBeLessThanOrEqual(12);
      expect(times.length).toBeGreaterThan(10);
    },
  );

  test("[R25] with a retry of one day is reopened after 30 seconds", () => {
    const pace = createReconnectPace({ now: () => 0, random: () => 1 });
    pace.opened();
    expect(pace.nextDelayMs(86_400_000)).toBe(30_000);
  });

  test("waits a little longer than the server's retry, even if that is 0", () => {
    const pace = createReconnectPace({ now: () => 0, random: () => 0.5 });
    pace.opened();
    expect(pace.nextDelayMs(2000)).toBe(2050);
    expect(pace.nextDelayMs(0)).toBe(500);
  });

  test("[R24] may be opened without delay 12 times, then only after the minute is over", () => {
    let now = 0;
    const pace = createReconnectPace({ now: () => now, random: () => 1 });
    for (let attempt = 0; attempt < 12; attempt += 1) {
      expect(pace.soonestDelayMs()).toBe(0);
      pace.opened();
      now += 1000;
    }
    expect(pace.soonestDelayMs()).toBe(48_000);
    now += 48_000;
    expect(pace.soonestDelayMs()).toBe(0);
  });

  test("[R26] makes clients that lost a server together reconnect at different times", () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const delays = Array.from({ length: 200 }, () => {
      const pace = createReconnectPace({ now: () => 0, random });
      for (let attempt = 0; attempt < 4; attempt += 1) pace.opened();
      return pace.nextDelayMs(undefined);
    });
    const perTenth = new Map<number, number>();
    for (const delay of delays)
      perTenth.set(Math.floor(delay / 100), (perTenth.get(Math.floor(delay / 100)) ?? 0) + 1);
    expect(Math.max(...perTenth.values())).toBeLessThanOrEqual(30);
    expect(Math.max(...delays)).toBeLessThanOrEqual(30_000);
  });

  test("is reopened with doubling delays until it brings a message", () => {
    const pace = createReconnectPace({ now: () => 0, random: () => 1 });
    const delays = [1, 2, 3, 4].map(() => {
      pace.opened();
      return pace.nextDelayMs(undefined);
    });
    expect(delays).toEqual([1000, 2000, 4000, 8000]);
    pace.recovered();
    pace.opened();
    expect(pace.nextDelayMs(undefined)).toBe(1000);
  });
});
