import type { McpError } from "@jackfield/mcp-core";
import type { Retry } from "./state.ts";

/** When a lost or unreachable server is retried. Times are milliseconds. */
export interface RetryPolicy {
  /** Before the first retry. Default 1,000. */
  readonly initialDelayMs: number;
  /**
   * Whether the first retry after a local server's session is lost is immediate: only this client waits for a local process, while all
   * clients of a remote server reconnect together. Ignored with `delaysMs`. Default true.
   */
  readonly restartsAtOnce: boolean;
  /** Each delay is the previous one times this. Default 2. */
  readonly factor: number;
  /** The longest exponential delay. Default 30,000. */
  readonly maxDelayMs: number;
  /** A list of delays that replaces the exponential ones and `maxRetries`: one retry per delay. Default: none. */
  readonly delaysMs?: readonly number[] | undefined;
  /**
   * `full`: a random time between 0 and the delay, so that servers lost together do not reconnect together. `around`: between half and
   * one and a half times the delay; exponential ones at most `maxDelayMs`. Default `full`.
   */
  readonly jitter: "full" | "around" | "none";
  /** Retries after the first attempt, in a row. Default 5. */
  readonly maxRetries: number;
  /** Delays for a remote server that was once up, after the other retries are spent; the last one repeats. Default 15 s to 5 min. */
  readonly slowDelaysMs?: readonly number[] | undefined;
  /** The most servers that are met again in a second, by retries and renewed sessions, over all servers and users; the others wait. Default 50. */
  readonly maxPerSecond: number;
  /** A session that lasted this long resets the retry count. Default 10,000. */
  readonly stableAfterMs: number;
  /** Whether a call tries a failed server once more when its last attempt is older than `maxDelayMs`. Default true. */
  readonly reviveOnCall: boolean;
}

/** The default retry policy. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  initialDelayMs: 1_000,
  restartsAtOnce: true,
  factor: 2,
  maxDelayMs: 30_000,
  jitter: "full",
  maxRetries: 5,
  slowDelaysMs: [15_000, 30_000, 60_000, 120_000, 300_000],
  maxPerSecond: 50,
  stableAfterMs: 10_000,
  reviveOnCall: true,
};

/** The latest time that a `Date` can hold: a server may ask for any number of seconds. */
export const LATEST = 8.64e15;

/** What is known when a server is lost. */
export interface Loss {
  readonly error: McpError;
  readonly now: number;
  /** The attempt that failed, or that had opened the session now lost; the first is 1. */
  readonly attempt: number;
  /** How long the session had been up; `undefined` if there was none. */
  readonly upForMs: number | undefined;
  readonly isRemote: boolean;
  /** Whether any session with this server has ever been opened. */
  readonly wasEverReady: boolean;
  /** Evenly drawn from [0, 1). */
  readonly random: number;
}

/**
 * Decides when to try again. Pure.
 *
 * The attempt count resets only after a session has *stayed* up: a server that dies after each handshake spends its retries and ends
 * `failed` instead of looping for ever ([R1], [S9]).
 *
 * @returns `undefined` if there is no retry.
 */
export function nextRetry(policy: RetryPolicy, loss: Loss): Retry | undefined {
  if (!loss.error.retryable) return undefined;
  const retries = spentAttempts(policy, loss);
  const delayMs = delayBefore(policy, retries, loss);
  if (delayMs === undefined) return undefined;
  const retryAt = loss.now + Math.max(delayMs, loss.error.retryAfterMs ?? 0);
  return { attempt: retries + 1, retryAt: Math.min(retryAt, LATEST) };
}

/** How many attempts in a row are spent when a server is lost; 1 after a session that stayed up. */
export function spentAttempts(policy: RetryPolicy, loss: Loss): number {
  return wasStable(policy, loss) ? 1 : loss.attempt;
}

function wasStable({ stableAfterMs }: RetryPolicy, { upForMs }: Loss): boolean {
  return upForMs !== undefined && upForMs >= stableAfterMs;
}

function delayBefore(policy: RetryPolicy, retries: number, loss: Loss): number | undefined {
  const { delaysMs, initialDelayMs, restartsAtOnce, factor, maxDelayMs } = policy;
  const fastRetries = delaysMs?.length ?? policy.maxRetries;
  const isFirstRestart = retries === 1 && loss.upForMs !== undefined && !loss.isRemote;
  if (retries <= fastRetries) {
    if (isFirstRestart && delaysMs === undefined && restartsAtOnce) return 0;
    const times = Math.min(factor ** (retries - 1), Number.MAX_VALUE); // 0 × Infinity is NaN.
    const exponentialMs = Math.min(maxDelayMs, initialDelayMs * times);
    const listedMs = delaysMs?.[retries - 1];
    if (listedMs !== undefined) return jittered(policy, listedMs, loss.random);
    return jittered(policy, exponentialMs, loss.random, maxDelayMs); // Jitter must not exceed the cap ([R26]).
  }
  const slow = policy.slowDelaysMs ?? [];
  if (!loss.isRemote || !loss.wasEverReady || slow.length === 0) return undefined;
  const index = Math.min(retries - fastRetries, slow.length) - 1;
  return jittered(policy, slow[index] ?? 0, loss.random);
}

function jittered({ jitter }: RetryPolicy, delayMs: number, random: number, mostMs = LATEST): number {
  if (jitter === "none") return delayMs;
  if (jitter === "full") return Math.floor(delayMs * random);
  const leastMs = delayMs / 2;
  return Math.floor(leastMs + (Math.min(3 * leastMs, mostMs) - leastMs) * random);
}

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
