import type { RetryPolicy } from "./retry-policy.ts";

/**
 * Retry policies of five earlier runtimes, to pass as `retry`.
 *
 * - `oh-my-pi`: at once, then after 0.5, 1, 2 and 4 s; a remote server that was once up is then retried after 15 s, doubling to 5 min.
 * - `sidecar`: after 2, 5 and 15 s, then never; a session that stayed up for 10 s resets the count.
 * - `openai-agents`: no automatic retry; a failed server waits for `reconnect`.
 * - `claude-code`: after 1 s, doubling to 30 s, five times, with full jitter.
 * - `hexos`: three attempts in all, 250 ms doubling to 2 s, each delay varied between half and one and a half times its length.
 */
export const RETRY_PRESETS = {
  "oh-my-pi": {
    initialDelayMs: 500,
    restartsAtOnce: false,
    factor: 2,
    maxDelayMs: 4_000,
    delaysMs: [0, 500, 1_000, 2_000, 4_000],
    jitter: "none",
    maxRetries: 5,
    slowDelaysMs: [15_000, 30_000, 60_000, 120_000, 240_000, 300_000],
    maxPerSecond: 50,
    stableAfterMs: 30_000,
    reviveOnCall: true,
  },
  sidecar: {
    initialDelayMs: 2_000,
    restartsAtOnce: false,
    factor: 2.5,
    maxDelayMs: 15_000,
    delaysMs: [2_000, 5_000, 15_000],
    jitter: "none",
    maxRetries: 3,
    slowDelaysMs: [],
    maxPerSecond: 50,
    stableAfterMs: 10_000,
    reviveOnCall: false,
  },
  "openai-agents": {
    initialDelayMs: 0,
    restartsAtOnce: false,
    factor: 1,
    maxDelayMs: 0,
    jitter: "none",
    maxRetries: 0,
    slowDelaysMs: [],
    maxPerSecond: 50,
    stableAfterMs: 0,
    reviveOnCall: false,
  },
  "claude-code": {
    initialDelayMs: 1_000,
    restartsAtOnce: false,
    factor: 2,
    maxDelayMs: 30_000,
    jitter: "full",
    maxRetries: 5,
    slowDelaysMs: [],
    maxPerSecond: 50,
    stableAfterMs: 10_000,
    reviveOnCall: false,
  },
  hexos: {
    initialDelayMs: 250,
    restartsAtOnce: false,
    factor: 2,
    maxDelayMs: 2_000,
    jitter: "around",
    maxRetries: 2,
    slowDelaysMs: [],
    maxPerSecond: 50,
    stableAfterMs: 10_000,
    reviveOnCall: true,
  },
} as const satisfies Record<string, RetryPolicy>;
