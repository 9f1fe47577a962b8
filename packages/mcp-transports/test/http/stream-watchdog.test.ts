import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { StreamWatchdog } from "../../src/http/stream-watchdog.ts";

const suspected: string[] = [];
let watchdog: StreamWatchdog;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  suspected.length = 0;
  watchdog = new StreamWatchdog((why) => suspected.push(why));
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

/** Lets the event loop read the network. */
const read = async () => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
};

describe("a stream", () => {
  test("[R29] is suspected dead once, within 45 seconds after its regular comments stop", async () => {
    hear(4, 10_000);
    vi.advanceTimersByTime(30_000);
    await read();
    expect(suspected).toEqual([]);
    vi.advanceTimersByTime(15_000);
    await read();
    expect(suspected).toEqual(["the stream fell silent"]);
    vi.advanceTimersByTime(600_000);
    await read();
    expect(suspected).toHaveLength(1);
  });

  test("without regular comments may stay silent without being suspected", async () => {
    hear(3, 5);
    vi.advanceTimersByTime(3000);
    watchdog.heard();
    hear(1, 60_000);
    vi.advanceTimersByTime(3_600_000);
    await read();
    expect(suspected).toEqual([]);
  });

  test.each([
    ["comments", "cccc", true],
    ["messages", "mmmm", false],
    ["comments and messages in turn", "cmcmcmcm", false],
    ["comments, then a message", "ccccm", false],
    ["comments, then a message and two comments", "ccccmcc", false],
    ["messages, then comments", "mmmmccc", true],
  ])("that falls silent after regular %s (%s) is suspected dead: %s", async (_, chunks, isSuspected) => {
    for (const chunk of chunks) {
      hear(1, 10_000);
      if (chunk === "m") watchdog.heardMessage();
    }
    vi.advanceTimersByTime(600_000);
    await read();
    expect(suspected).toEqual(isSuspected ? ["the stream fell silent"] : []);
  });

  test("[R30] is suspected dead after the machine was asleep", async () => {
    vi.advanceTimersByTime(20_000);
    vi.setSystemTime(Date.now() + 120_000);
    vi.advanceTimersByTime(5000);
    await read();
    expect(suspected).toEqual(["the machine was asleep"]);
  });

  test("is no longer watched after stop()", async () => {
    hear(4, 10_000);
    watchdog.stop();
    vi.advanceTimersByTime(600_000);
    await read();
    expect(suspected).toEqual([]);
  });

  describe.each([
    ["fell silent", () => vi.advanceTimersByTime(45_000)],
    [
      "was cut off by sleep",
      () => {
        vi.setSystemTime(Date.now() + 120_000);
        vi.advanceTimersByTime(5000);
      },
    ],
  ])("that seems dead because it %s", (_, seemDead) => {
    test("is not suspected if something is heard before the network was read twice", async () => {
      hear(4, 10_000);
      seemDead();
      await new Promise(setImmediate);
      watchdog.heard();
      await read();
      expect(suspected).toEqual([]);
      hear(4, 10_000);
      vi.advanceTimersByTime(45_000);
      await read();
      expect(suspected).toEqual(["the stream fell silent"]);
    });

    test("keeps its habit when something was heard, and is suspected if it then stays silent", async () => {
      hear(4, 10_000);
      seemDead();
      watchdog.heard();
      await read();
      vi.advanceTimersByTime(45_000);
      await read();
      expect(suspected).toEqual(["the stream fell silent"]);
    });

    test("is not suspected if stop() is called before the network was read twice", async () => {
      hear(4, 10_000);
      seemDead();
      await new Promise(setImmediate);
      watchdog.stop();
      await read();
      expect(suspected).toEqual([]);
    });
  });
});
