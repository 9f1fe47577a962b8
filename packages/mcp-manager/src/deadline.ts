import type { McpError } from "@jackfield/mcp-core";
import { startTimer } from "./timer.ts";

export interface DeadlineOptions {
  /** The caller's own signal; its reason is not used. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from now; `0` = none. */
  readonly timeoutMs: number;
  readonly aborted: () => McpError;
  readonly expired: () => McpError;
}

/** A time limit, and the signal that fires when it is over or the caller gives up. */
export interface Deadline extends Disposable {
  /** Fires with an `McpError` as its reason. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds; `Infinity` = none. */
  readonly at: number;
}

export function createDeadline({ signal, timeoutMs, aborted, expired }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const at = timeoutMs === 0 ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  const timer = timeoutMs === 0 ? undefined : startTimer(() => controller.abort(expired()), timeoutMs);
  const onAbort = () => controller.abort(aborted());
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    at,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}

/** Waits for the promise, or rejects with the signal's reason as soon as it fires. */
export async function raceSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => {}); // Nothing waits for its outcome.
    throw signal.reason;
  }
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
