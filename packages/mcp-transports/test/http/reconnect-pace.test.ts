import { describe, expect, test } from "vitest";
import { createReconnectPace } from "../../src/http/reconnect-pace.ts";

/** Opens a stream again and again for a while; what happens in between is said by `between`. */
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

describe("a stream that ends again and again", () => {
  test.each([
    [0, true],
    [0, false],
    [undefined, true],
    [undefined, false],
    [86_400_000, true],
  ])(
    "[R24] with retry %s (brings something: %s) it is opened at most 12 times a minute",
    (retryMs, delivers) => {
      const times = openings(600_000, retryMs, { delivers, random: () => 0 });
      for (const start of times)
        expect(times.filter((time) => time >= start && time < start + 60_000).length).toBeLessThanOrEqual(12);
      expect(times.length).toBeGreaterThan(10);
    },
  );

  test("[R25] a server that asks for a day is asked again within half a minute", () => {
    const pace = createReconnectPace({ now: () => 0, random: () => 1 });
    pace.opened();
    expect(pace.nextDelayMs(86_400_000)).toBe(30_000);
  });

  test("a delay that the server asks for is kept, and never cut short", () => {
    const pace = createReconnectPace({ now: () => 0, random: () => 0.5 });
    pace.opened();
    expect(pace.nextDelayMs(2000)).toBe(2050);
    expect(pace.nextDelayMs(0)).toBe(500);
  });

  test("[R24] what may be opened at once is, 12 times a minute", () => {
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

  test("[R26] clients that lose their server together do not come back together", () => {
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

  test("the delays grow until something is brought", () => {
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
