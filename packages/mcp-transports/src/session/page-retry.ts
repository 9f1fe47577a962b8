import { McpError, startTimer } from "@jackfield/mcp-core";

/** For a whole list, however many pages it has. */
const MOST_RETRIES = 2;

/** The delay if the server does not name one. */
const RETRY_DELAY_MS = 250;

/** If the server asks for a longer delay, the caller has to ask again. */
const LONGEST_WAIT_MS = 10_000;

/** Statuses of temporary problems. Any other refusal would come again. */
const RETRYABLE_STATUSES = new Set([429, 502, 503, 504]);

export interface PageRetryOptions {
  /** When the list must be there, on the clock of `performance.now()`; missing means no limit. */
  readonly deadline: number | undefined;
  /** Fires when the session has ended. */
  readonly ended: AbortSignal;
  readonly signal: AbortSignal;
}

/**
 * Repeats the request for a page that failed for a temporary reason, so that the list continues at that page. A list changes nothing, so it
 * may be requested twice. All its pages share one budget.
 */
export function createPageRetry({
  deadline = Number.POSITIVE_INFINITY,
  ended,
  signal,
}: PageRetryOptions): <T>(ask: () => Promise<T>) => Promise<T> {
  let retriesLeft = MOST_RETRIES;
  return async (ask) => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        const delayMs = delayBeforeRetry(error);
        if (delayMs === undefined || retriesLeft === 0 || ended.aborted || signal.aborted) throw error;
        // A retry after the deadline would come too late.
        if (performance.now() + delayMs >= deadline) throw error;
        retriesLeft -= 1;
        await delay(delayMs, AbortSignal.any([signal, ended]));
      }
    }
  };
}

/**
 * `undefined` if the page should not be requested again. An error of the phase `handshake` comes from a challenge that was not met, so its
 * status is the authorization server's. Each further request for the page would present the refresh token again.
 */
function delayBeforeRetry(error: unknown): number | undefined {
  if (!(error instanceof McpError) || error.phase === "handshake") return undefined;
  const { code, httpStatus, retryAfterMs } = error;
  const isRetryable =
    httpStatus === undefined ? code === "MCP_SESSION_LOST" : RETRYABLE_STATUSES.has(httpStatus);
  const delayMs = retryAfterMs ?? RETRY_DELAY_MS;
  return isRetryable && delayMs <= LONGEST_WAIT_MS ? delayMs : undefined;
}

function delay(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = startTimer(finish, delayMs);
    signal.addEventListener("abort", finish);
  });
}
