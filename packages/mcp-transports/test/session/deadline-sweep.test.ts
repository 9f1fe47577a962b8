import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDeadlineSweep, type TimedRequest } from "../../src/session/deadline-sweep.ts";

let sweep = createDeadlineSweep();

beforeEach(() => {
  vi.useFakeTimers();
  sweep = createDeadlineSweep();
});
afterEach(() => {
  sweep.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function timedRequest(
  limits: Pick<TimedRequest, "timeoutMs" | "maxTotalMs">,
  onExpired: TimedRequest["onExpired"],
): TimedRequest {
  return {
    ...limits,
    rosterIndex: -1,
    idleAt: Number.POSITIVE_INFINITY,
    totalAt: Number.POSITIVE_INFINITY,
    highestProgress: Number.NEGATIVE_INFINITY,
    holds: 0,
    onExpired,
  };
}

/** Starts a request and waits for the end of the turn, when its deadlines start. */
async function createRequestClock(...options: Parameters<typeof timedRequest>) {
  const request = timedRequest(...options);
  sweep.start(request);
  await Promise.resolve();
  return {
    progressed: (progress: number) => sweep.progressed(request, progress),
    hold: () => sweep.hold(request),
    stop: () => sweep.stop(request),
  };
}

test("the idle deadline fires once if there is no progress", async () => {
  const onExpired = vi.fn();
  await createRequestClock({ timeoutMs: 100, maxTotalMs: 100 }, onExpired);
  vi.advanceTimersByTime(99);
  expect(onExpired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(onExpired).toHaveBeenCalledTimes(1);
});

test("the idle deadline pauses while the clock is held and restarts after the last release", async () => {
  const onExpired = vi.fn();
  const clock = await createRequestClock({ timeoutMs: 100, maxTotalMs: 0 }, onExpired);
  const releases = [clock.hold(), clock.hold()];
  vi.advanceTimersByTime(1000);
  releases[0]?.();
  releases[0]?.();
  vi.advanceTimersByTime(1000);
  expect(onExpired).not.toHaveBeenCalled();
  releases[1]?.();
  vi.advanceTimersByTime(99);
  expect(onExpired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onExpired).toHaveBeenCalledExactlyOnceWith(100, false);
});

test("the total deadline goes on while the clock is held", async () => {
  const onExpired = vi.fn();
  (await createRequestClock({ timeoutMs: 100, maxTotalMs: 300 }, onExpired)).hold();
  vi.advanceTimersByTime(300);
  expect(onExpired).toHaveBeenCalledExactlyOnceWith(300, true);
});

test("[R34] increasing progress restarts the idle deadline, other progress does not", async () => {
  const onExpired = vi.fn();
  const clock = await createRequestClock({ timeoutMs: 100, maxTotalMs: 0 }, onExpired);
  vi.advanceTimersByTime(90);
  clock.progressed(1);
  vi.advanceTimersByTime(90);
  expect(onExpired).not.toHaveBeenCalled();
  clock.progressed(1);
  clock.progressed(0.5);
  clock.progressed(Number.NaN);
  vi.advanceTimersByTime(10);
  expect(onExpired).toHaveBeenCalledExactlyOnceWith(100, false);
});

test("[R34] the total deadline fires despite progress", async () => {
  const onExpired = vi.fn();
  const clock = await createRequestClock({ timeoutMs: 100, maxTotalMs: 250 }, onExpired);
  for (let step = 1; step <= 6; step += 1) {
    vi.advanceTimersByTime(50);
    clock.progressed(step);
  }
  expect(onExpired).toHaveBeenCalledExactlyOnceWith(250, true);
});

test("[H12] a stopped clock does not fire and leaves no timer", async () => {
  const onExpired = vi.fn();
  (await createRequestClock({ timeoutMs: 100, maxTotalMs: 200 }, onExpired)).stop();
  vi.advanceTimersByTime(100);
  expect(vi.getTimerCount()).toBe(0);
  expect(onExpired).not.toHaveBeenCalled();
});

test("the timer keeps the process alive only while a request is pending", async () => {
  const setting = vi.spyOn(globalThis, "setTimeout");
  const isAlive = () => (setting.mock.results[0] as { value: NodeJS.Timeout }).value.hasRef();
  const limits = { timeoutMs: 100, maxTotalMs: 0 };
  const first = await createRequestClock(limits, vi.fn());
  expect(isAlive()).toBe(true);
  first.stop();
  expect(isAlive()).toBe(false);
  const second = await createRequestClock(limits, vi.fn());
  expect(isAlive()).toBe(true);
  second.stop();
  expect(setting).toHaveBeenCalledTimes(1);
  setting.mockRestore();
});

test("clocks fire in the order of their deadlines, not of their starts", async () => {
  const fired: string[] = [];
  const start = (name: string, timeoutMs: number) =>
    createRequestClock({ timeoutMs, maxTotalMs: 0 }, () => fired.push(name));
  await start("long", 300);
  await start("short", 100);
  (await start("stopped", 150)).stop();
  vi.advanceTimersByTime(50);
  await start("later", 150);
  vi.advanceTimersByTime(50);
  expect(fired).toEqual(["short"]);
  vi.advanceTimersByTime(100);
  expect(fired).toEqual(["short", "later"]);
  vi.advanceTimersByTime(100);
  expect(fired).toEqual(["short", "later", "long"]);
});

test("the clock is read once for all requests that start in one turn", async () => {
  const onExpired = vi.fn();
  const limits = { timeoutMs: 100, maxTotalMs: 0 };
  await createRequestClock({ timeoutMs: 50, maxTotalMs: 0 }, vi.fn()); // sets the timer
  const reading = vi.spyOn(performance, "now");
  await Promise.all(Array.from({ length: 10 }, () => createRequestClock(limits, onExpired)));
  expect(reading).toHaveBeenCalledTimes(1);
  reading.mockRestore();
  vi.advanceTimersByTime(100);
  expect(onExpired).toHaveBeenCalledTimes(10);
});

test("a request that ends in the turn in which it began sets no timer", async () => {
  const request = timedRequest({ timeoutMs: 100, maxTotalMs: 0 }, vi.fn());
  sweep.start(request);
  sweep.stop(request);
  await Promise.resolve();
  expect(vi.getTimerCount()).toBe(0);
});

test("a clock stopped by another clock's listener does not fire", async () => {
  const onExpired = vi.fn();
  const limits = { timeoutMs: 100, maxTotalMs: 0 };
  await createRequestClock(limits, () => other.stop());
  const other = await createRequestClock(limits, onExpired);
  vi.advanceTimersByTime(1000);
  expect(onExpired).not.toHaveBeenCalled();
});

test("0 means no deadline, and a delay over the timer maximum does not fire at once", async () => {
  const onExpired = vi.fn();
  (await createRequestClock({ timeoutMs: 0, maxTotalMs: 0 }, onExpired)).progressed(1);
  const clock = await createRequestClock(
    { timeoutMs: 2 ** 40, maxTotalMs: Number.POSITIVE_INFINITY },
    onExpired,
  );
  vi.advanceTimersByTime(1_000_000);
  expect(onExpired).not.toHaveBeenCalled();
  clock.stop();
});
