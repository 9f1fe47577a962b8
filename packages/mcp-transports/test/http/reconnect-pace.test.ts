import { describe, expect, test } from "vitest";
import { ReconnectPace } from "../../src/http/reconnect-pace.ts";

/** Reopens a stream for `durationMs` and returns the times; `delivers` says whether each opening brings a message. */
function openings(
  durationMs: number,
  retryMs: number | undefined,
  options: { delivers: boolean; random: () => number },
) {
  let now = 0;
  const times: number[] = [];
  const pace = new ReconnectPace({ now: () => now, random: options.random });
  while (now <= durationMs) {
    times.push(now);
    pace.opened();
    if (options.delivers) pace.recovered();
    now += pace.nextDelayMs(retryMs);
  }
  return times;
}

describe("a stream that keeps ending", () => {
  test.each([0, 500, undefined, 86_400_000])(
    "[R24] with retry %s is opened ever more rarely: no burst, and no silence of more than 30 s",
    (retryMs) => {
      for (const share of [0, 0.5, 1]) {
        const times = openings(600_000, retryMs, { delivers: false, random: () => share });
        const pauses = times.slice(1).map((time, index) => time - (times[index] as number));
        expect(Math.max(...pauses)).toBeLessThanOrEqual(30_000);
        expect(Math.min(...pauses.slice(5))).toBeGreaterThanOrEqual(15_000);
        for (const start of times.slice(1))
          expect(times.filter((time) => time >= start && time < start + 10_000).length).toBeLessThanOrEqual(
            5,
          );
      }
    },
  );

  test("starts over after each message, and after a stream that has lasted", () => {
    const delivering = openings(60_000, undefined, { delivers: true, random: () => 1 });
    expect(delivering).toHaveLength(61);
    let now = 0;
    const pace = new ReconnectPace({ now: () => now, random: () => 1 });
    for (let attempt = 0; attempt < 6; attempt += 1) pace.opened();
    expect(pace.nextDelayMs(undefined)).toBe(30_000);
    pace.opened();
    now += 30_000;
    expect(pace.nextDelayMs(undefined)).toBe(1_000);
  });

  test("[R25] with a retry of one day is reopened after 30 seconds", () => {
    const pace = new ReconnectPace({ now: () => 0, random: () => 1 });
    pace.opened();
    expect(pace.nextDelayMs(86_400_000)).toBe(30_000);
  });

  test("waits a little longer than the server's retry, even if that is 0", () => {
    const pace = new ReconnectPace({ now: () => 0, random: () => 0.5 });
    pace.opened();
    expect(pace.nextDelayMs(2000)).toBe(2050);
    expect(pace.nextDelayMs(0)).toBe(500);
  });

  test("[R24] may be opened at once if that is likely to succeed, then ever more rarely, but every 6 s", () => {
    let now = 0;
    const pace = new ReconnectPace({ now: () => now, random: () => 1 });
    const delays = Array.from({ length: 7 }, () => {
      pace.opened();
      const delayMs = pace.soonestDelayMs();
      now += delayMs;
      return delayMs;
    });
    expect(delays).toEqual([0, 500, 1_000, 2_000, 4_000, 6_000, 6_000]);
  });

  test("[R26] makes clients that lost a server together reconnect at different times", () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const delays = Array.from({ length: 200 }, () => {
      const pace = new ReconnectPace({ now: () => 0, random });
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
    const pace = new ReconnectPace({ now: () => 0, random: () => 1 });
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
