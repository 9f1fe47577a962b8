import { McpError } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_RETRY_POLICY,
  type Loss,
  nextRetry,
  RETRY_PRESETS,
  type RetryPolicy,
} from "../../src/server/retry-policy.ts";

const lost = new McpError("MCP_SESSION_LOST", "gone");
const steady: RetryPolicy = { ...DEFAULT_RETRY_POLICY, jitter: "none" };

function loss(overrides: Partial<Loss> = {}): Loss {
  return {
    error: lost,
    now: 0,
    attempt: 1,
    upForMs: undefined,
    isRemote: false,
    wasEverReady: true,
    random: 0.5,
    ...overrides,
  };
}

/** The delays before one retry after the other, each attempt failing. */
function delays(policy: RetryPolicy, overrides: Partial<Loss>, count: number): (number | undefined)[] {
  return Array.from(
    { length: count },
    (_, index) => nextRetry(policy, loss({ ...overrides, attempt: index + 1 }))?.retryAt,
  );
}

describe("the retry policy", () => {
  it("[R25] waits 1, 2, 4, 8 and 16 seconds, and makes no sixth retry", () => {
    expect(delays(steady, {}, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, undefined]);
  });

  it("[R26] never waits longer than the cap, however many retries are allowed", () => {
    expect(delays({ ...steady, maxRetries: 8 }, {}, 8).slice(4)).toEqual([16_000, 30_000, 30_000, 30_000]);
  });

  it("[R26] draws jitter evenly and within the cap", () => {
    const drawn = [0, 0.5, 0.999].map(
      (random) =>
        nextRetry({ ...steady, jitter: "around", maxRetries: 8 }, loss({ attempt: 6, random }))?.retryAt,
    );
    expect(drawn).toEqual([15_000, 22_500, 29_985]);
  });

  it("never waits if initialDelayMs is 0", () => {
    const eager = { ...steady, initialDelayMs: 0, maxRetries: 5_000 };
    for (const attempt of [1, 1_024, 1_026, 4_000])
      expect(nextRetry(eager, loss({ attempt }))).toEqual({ retryAt: 0, attempt: attempt + 1 });
  });

  it("caps retryAt at the largest valid Date, whatever a server asks for", () => {
    const error = new McpError("MCP_CONNECT_FAILED", "503", { retryAfterMs: Number.POSITIVE_INFINITY });
    expect(nextRetry(steady, loss({ error }))?.retryAt).toBe(8.64e15);
  });

  it("[R24] draws each delay between 0 and its full length by default", () => {
    const drawn = [0, 0.25, 0.999].map(
      (random) => nextRetry(DEFAULT_RETRY_POLICY, loss({ attempt: 3, random }))?.retryAt,
    );
    expect(drawn).toEqual([0, 1_000, 3_996]);
  });

  it("[R1] [R4] does not reset the count for a server that dies after each handshake", () => {
    expect(delays(steady, { upForMs: 50 }, 6).at(-1)).toBeUndefined();
  });

  it("[S9] resets the count once a session has been stable", () => {
    const retry = nextRetry(steady, loss({ attempt: 5, upForMs: steady.stableAfterMs }));
    expect(retry).toEqual({ retryAt: 0, attempt: 2 });
  });

  it("restarts a process at once after a loss, and waits if it is soon lost again", () => {
    expect(delays(steady, { upForMs: 50 }, 3)).toEqual([0, 2_000, 4_000]);
  });

  it("waits before the first retry of a remote server and of a process that never connected", () => {
    expect(delays(steady, { upForMs: 50, isRemote: true }, 1)).toEqual([1_000]);
    expect(delays(steady, {}, 1)).toEqual([1_000]);
  });

  it("waits before restarting a process if restartsAtOnce is false or delaysMs is set", () => {
    expect(delays({ ...steady, restartsAtOnce: false }, { upForMs: 50 }, 1)).toEqual([1_000]);
    expect(delays({ ...steady, delaysMs: [70] }, { upForMs: 50 }, 1)).toEqual([70]);
  });

  it("[R9] continues with slow retries for a remote server that was once ready", () => {
    const slow = delays(steady, { isRemote: true }, 12).slice(5);
    expect(slow).toEqual([15_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000]);
  });

  it("[R10] makes no slow retries for a child process", () => {
    expect(nextRetry(steady, loss({ attempt: 6 }))).toBeUndefined();
  });

  it("[R11] makes no slow retries for a remote server that was never reached", () => {
    expect(nextRetry(steady, loss({ attempt: 6, isRemote: true, wasEverReady: false }))).toBeUndefined();
  });

  it("[S7] does not retry an error that is not retryable", () => {
    const error = new McpError("MCP_PROTOCOL_UNSUPPORTED", "no common version");
    expect(nextRetry(steady, loss({ error }))).toBeUndefined();
  });

  it("waits at least as long as the server asked", () => {
    const error = new McpError("MCP_CONNECT_FAILED", "busy", { retryAfterMs: 7_000 });
    expect(nextRetry(steady, loss({ error }))?.retryAt).toBe(7_000);
  });

  it("[T37] doubles the delay with each retry, up to the cap", () => {
    const unlimited = { ...steady, maxRetries: Number.MAX_SAFE_INTEGER };
    const waited = delays(unlimited, {}, 12);
    expect(waited.slice(0, 3)).toEqual([1_000, 2_000, 4_000]);
    expect(waited.slice(5)).toEqual(Array(7).fill(30_000));
  });

  it("[T38] keeps the delay at the cap for an absurd number of retries", () => {
    const retry = nextRetry({ ...steady, maxRetries: 1e6 }, loss({ attempt: 99_999 }));
    expect(retry?.retryAt).toBe(30_000);
  });
});

describe("delaysMs", () => {
  it("replaces the exponential delays, and ends the retries with its last one", () => {
    expect(delays({ ...steady, delaysMs: [70, 7, 700] }, {}, 4)).toEqual([70, 7, 700, undefined]);
  });

  it("is followed by the slow delays for a remote server that was once ready", () => {
    expect(delays({ ...steady, delaysMs: [70] }, { isRemote: true }, 3)).toEqual([70, 15_000, 30_000]);
  });

  it("is subject to jitter", () => {
    const drawn = (jitter: RetryPolicy["jitter"]) =>
      [0, 0.5, 0.999].map(
        (random) => nextRetry({ ...steady, delaysMs: [1_000], jitter }, loss({ random }))?.retryAt,
      );
    expect(drawn("full")).toEqual([0, 500, 999]);
    expect(drawn("around")).toEqual([500, 1_000, 1_499]);
    expect(drawn("none")).toEqual([1_000, 1_000, 1_000]);
  });
});

describe("the presets of other runtimes", () => {
  const of = (preset: keyof typeof RETRY_PRESETS, overrides: Partial<Loss>, count: number) =>
    delays(RETRY_PRESETS[preset], overrides, count);

  it("oh-my-pi retries five times, then slowly for a remote server, up to 5 minutes apart", () => {
    expect(of("oh-my-pi", {}, 6)).toEqual([0, 500, 1_000, 2_000, 4_000, undefined]);
    const quiet = of("oh-my-pi", { isRemote: true }, 13).slice(5);
    expect(quiet).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000, 300_000]);
  });

  it("[R5] SideCar retries three times, and a success resets the count", () => {
    expect(of("sidecar", { isRemote: true }, 4)).toEqual([2_000, 5_000, 15_000, undefined]);
    const success = loss({ attempt: 3, upForMs: 10_000 });
    expect(nextRetry(RETRY_PRESETS.sidecar, success)).toEqual({ retryAt: 2_000, attempt: 2 });
  });

  it.each(["oh-my-pi", "sidecar", "openai-agents", "claude-code", "hexos"] as const)(
    "[R1] [R4] [S9] %s gives up a process that dies after each handshake",
    (preset) => {
      expect(of(preset, { upForMs: 50 }, 6).at(-1)).toBeUndefined();
    },
  );

  it.each([
    ["sidecar", [2_000, 5_000, 15_000, undefined]],
    ["oh-my-pi", [0, 500, 1_000, 2_000, 4_000, undefined]],
    ["hexos", [250, 500, undefined]],
  ] as const)(
    "[R4] [R5] %s makes all its retries again when a stable session is lost",
    (preset, expected) => {
      const policy = { ...RETRY_PRESETS[preset], jitter: "none" } as const;
      const after: (number | undefined)[] = [];
      let retry = nextRetry(policy, loss({ attempt: 4, upForMs: 60_000 }));
      for (; retry !== undefined; retry = nextRetry(policy, loss({ attempt: retry.attempt })))
        after.push(retry.retryAt);
      expect([...after, undefined]).toEqual(expected);
    },
  );

  it("openai-agents makes no retries and does not revive a server on a call", () => {
    expect(of("openai-agents", { isRemote: true }, 1)).toEqual([undefined]);
    expect(RETRY_PRESETS["openai-agents"].reviveOnCall).toBe(false);
  });

  it("[R25] Claude Code retries five times, doubling from a second, with full jitter", () => {
    expect(of("claude-code", { random: 0.999 }, 6)).toEqual([999, 1_998, 3_996, 7_992, 15_984, undefined]);
  });

  it("hexos makes three attempts in all, 125 to 374 and 250 to 749 ms apart", () => {
    expect(of("hexos", { random: 0 }, 3)).toEqual([125, 250, undefined]);
    expect(of("hexos", { random: 0.9999 }, 2)).toEqual([374, 749]);
  });
});
