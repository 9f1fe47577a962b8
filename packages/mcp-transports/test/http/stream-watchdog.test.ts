import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createStreamWatchdog, type StreamWatchdog } from "../../src/http/stream-watchdog.ts";

const suspected: string[] = [];
let watchdog: StreamWatchdog;

beforeEach(() => {
  vi.useFakeTimers();
  suspected.length = 0;
  watchdog = createStreamWatchdog((why) => suspected.push(why));
});

afterEach(() => {
  watchdog.stop();
  vi.useRealTimers();
});

function hear(times: number, everyMs: number): void {
  for (let index = 0; index < times; index += 1) {
    vi.advanceTimersByTime(everyMs);
    watchdog.heard();
  }
}

describe("a stream", () => {
  test("[R29] is suspected dead once, within 45 seconds after its regular comments stop", () => {
    hear(4, 10_000);
    vi.advanceTimersByTime(30_000);
    expect(suspected).toEqual([]);
    vi.advanceTimersByTime(15_000);
    expect(suspected).toEqual(["the stream fell silent"]);
    vi.advanceTimersByTime(600_000);
    expect(suspected).toHaveLength(1);
  });

  test("without regular comments may stay silent without being suspected", () => {
    hear(3, 5);
    vi.advanceTimersByTime(3000);
    watchdog.heard();
    hear(1, 60_000);
    vi.advanceTimersByTime(3_600_000);
    expect(suspected).toEqual([]);
  });

  test.each([
    ["comments", "cccc", true],
    ["messages", "mmmm", false],
    ["comments and messages in turn", "cmcmcmcm", false],
    ["comments, then a message", "ccccm", false],
    ["comments, then a message and two comments", "ccccmcc", false],
    ["messages, then comments", "mmmmccc", true],
  ])("that falls silent after regular %s (%s) is suspected dead: %s", (_, chunks, isSuspected) => {
    for (const chunk of chunks) {
      hear(1, 10_000);
      if (chunk === "m") watchdog.heardMessage();
    }
    vi.advanceTimersByTime(600_000);
    expect(suspected).toEqual(isSuspected ? ["the stream fell silent"] : []);
  });

  test("[R30] is suspected dead after the machine was asleep", () => {
    vi.advanceTimersByTime(20_000);
    vi.setSystemTime(Date.now() + 120_000);
    vi.advanceTimersByTime(5000);
    expect(suspected).toEqual(["the machine was asleep"]);
  });

  test("is no longer watched after stop()", () => {
    hear(4, 10_000);
    watchdog.stop();
    vi.advanceTimersByTime(600_000);
    expect(suspected).toEqual([]);
  });
});
