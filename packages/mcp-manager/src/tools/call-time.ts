import {
  type CallOptions,
  DEFAULT_LIMITS,
  isRecord,
  MAX_TIMER_MS,
  type ServerLimits,
} from "@jackfield/mcp-core";
import { writtenValue } from "../written-value.ts";

/**
 * The time a call has left, all its waits and attempts included. Measured by the monotonic clock, so that an adjustment of the system
 * time ends no call. Milliseconds; `0` = no limit.
 */
export interface CallTime {
  /** The shorter of the call's two limits. */
  readonly limitMs: number;
  /** For a later request. */
  left(): RequestTime;
  /** For waiting until the server is ready. */
  waitMs(): number;
  /** For another attempt; `Infinity` = no limit. */
  leftMs(): number;
  /**
   * The server has worked on a request that is lost. Restarts the time for an answer or progress, because it is unknown here when
   * progress was last reported. The total time goes on.
   */
  worked(): void;
}

/** The time of one request: until an answer or increasing progress, and in total. */
export interface RequestTime {
  readonly timeoutMs: number;
  readonly maxTotalMs: number;
}

/** @param startedAt - when the call began, by the monotonic clock; default: now */
export function createCallTime(
  options: CallOptions,
  limits: ServerLimits,
  startedAt = performance.now(),
): CallTime {
  return new ElapsingTime(limitsOf(options, limits), startedAt);
}

/** The time of a request that is sent as soon as its call begins. */
export function wholeTime(options: CallOptions, limits: ServerLimits): RequestTime {
  const { timeoutMs, maxTotalMs } = limitsOf(options, limits);
  return { timeoutMs: rest(timeoutMs, 0), maxTotalMs: rest(maxTotalMs, 0) };
}

function limitsOf({ timeoutMs, maxTotalMs }: CallOptions, limits: ServerLimits): RequestTime {
  return {
    timeoutMs: timeoutMs ?? limits.callTimeoutMs ?? DEFAULT_LIMITS.callTimeoutMs,
    maxTotalMs: maxTotalMs ?? limits.maxTotalMs ?? DEFAULT_LIMITS.maxTotalMs,
  };
}

class ElapsingTime implements CallTime {
  readonly #startedAt: number;
  /** Since when an answer or progress is awaited. */
  #workedAt: number;
  readonly #idleMs: number;
  readonly #totalMs: number;

  constructor({ timeoutMs, maxTotalMs }: RequestTime, startedAt: number) {
    this.#startedAt = startedAt;
    this.#workedAt = startedAt;
    this.#idleMs = timeoutMs;
    this.#totalMs = maxTotalMs;
  }

  get limitMs(): number {
    if (this.#idleMs === 0 || this.#totalMs === 0) return this.#idleMs + this.#totalMs;
    return Math.min(this.#idleMs, this.#totalMs);
  }

  left(): RequestTime {
    const now = performance.now();
    return {
      timeoutMs: rest(this.#idleMs, this.#silentMs(now)),
      maxTotalMs: rest(this.#totalMs, this.#elapsedMs(now)),
    };
  }

  waitMs(): number {
    const { timeoutMs, maxTotalMs } = this.left();
    return timeoutMs === 0 || maxTotalMs === 0 ? timeoutMs + maxTotalMs : Math.min(timeoutMs, maxTotalMs);
  }

  leftMs(): number {
    const now = performance.now();
    const idleMs = this.#idleMs === 0 ? Number.POSITIVE_INFINITY : this.#idleMs - this.#silentMs(now);
    const totalMs = this.#totalMs === 0 ? Number.POSITIVE_INFINITY : this.#totalMs - this.#elapsedMs(now);
    return Math.min(idleMs, totalMs);
  }

  worked(): void {
    this.#workedAt = performance.now();
  }

  #silentMs(now: number): number {
    return Math.floor(now - this.#workedAt);
  }

  #elapsedMs(now: number): number {
    return Math.floor(now - this.#startedAt);
  }
}

/** The rest of a limit: at least 1, because 0 means no limit. */
function rest(limitMs: number, elapsedMs: number): number {
  if (limitMs === 0) return 0;
  return Math.min(MAX_TIMER_MS, Math.max(1, limitMs - elapsedMs));
}

/**
 * What is wrong with the options of a call or another request, if anything. An invalid time would never or always fire ([R45]), and a
 * misspelt `replay` must not decide whether a call is made twice.
 */
export function invalidOption(options: CallOptions): string | undefined {
  if (!isRecord(options)) return `its options must be an object, not ${writtenValue(options)}`;
  const { signal, timeoutMs, maxTotalMs, replay, inputRequired, approved } = options;
  if (signal !== undefined && !isSignal(signal))
    return `option "signal" must be an AbortSignal, not ${writtenValue(signal)}`;
  if (timeoutMs !== undefined && !isDuration(timeoutMs))
    return `option "timeoutMs" must be a finite number of at least 0, not ${writtenValue(timeoutMs)}`;
  if (maxTotalMs !== undefined && !isDuration(maxTotalMs))
    return `option "maxTotalMs" must be a finite number of at least 0, not ${writtenValue(maxTotalMs)}`;
  if (replay !== undefined && !isReplay(replay))
    return `option "replay" must be "never", "trusted" or a whole number of at least 0, not ${writtenValue(replay)}`;
  if (inputRequired !== undefined && inputRequired !== "handlers" && inputRequired !== "return")
    return `option "inputRequired" must be "handlers" or "return", not ${writtenValue(inputRequired)}`;
  if (approved !== undefined && typeof approved !== "string")
    return `option "approved" must be the digest of the tool that was shown, toolDigest(tool) of @jackfield/mcp-core, not ${writtenValue(approved)}`;
  return undefined;
}

/** Also accepts an `AbortSignal` of another realm. */
function isSignal(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { aborted, addEventListener } = value as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

function isDuration(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
}

function isReplay(value: unknown): boolean {
  return value === "never" || value === "trusted" || (Number.isInteger(value) && Number(value) >= 0);
}
