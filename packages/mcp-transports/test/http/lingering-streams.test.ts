import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LingeringStreams } from "../../src/http/streamable-http-transport.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test("streams that stay open after the answer are ended, each after its own 2 seconds", () => {
  const lingering = new LingeringStreams(2000);
  const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
  lingering.add(first);
  vi.advanceTimersByTime(500);
  const stop = lingering.add(second);
  lingering.add(third);
  stop();
  vi.advanceTimersByTime(1499);
  expect(first).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(first).toHaveBeenCalledTimes(1);
  expect(third).not.toHaveBeenCalled();
  vi.advanceTimersByTime(500);
  expect(third).toHaveBeenCalledTimes(1);
  expect(first).toHaveBeenCalledTimes(1);
  expect(second).not.toHaveBeenCalled();
});

test("close() ends the remaining streams once and leaves no timer", () => {
  const lingering = new LingeringStreams(2000);
  const [open, over] = [vi.fn(), vi.fn()];
  lingering.add(open);
  lingering.add(over)();
  lingering.close();
  lingering.close();
  expect(open).toHaveBeenCalledTimes(1);
  expect(over).not.toHaveBeenCalled();
});
