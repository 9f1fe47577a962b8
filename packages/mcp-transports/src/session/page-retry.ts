import { McpError } from "@jackfield/mcp-core";
import { clampDelay } from "../timer-delay.ts";

/** For a whole list, however many pages it has. */
const MOST_RETRIES = 2;

/** Where the server does not say how long it wants to be left alone. */
const RETRY_DELAY_MS = 250;

/** A server that wants to be left alone for longer is asked again by whoever wanted the list. */
const LONGEST_WAIT_MS = 10_000;

/** Answers that pass. Any other refusal would come again. */
const PASSING_STATUSES = new Set([429, 502, 503, 504]);

export interface PageRetryOptions {
  /** When the list must be there, on the clock of `performance.now()`; missing means no limit. */
  readonly deadline: number | undefined;
  /** Fires when there is no session left to ask. */
  readonly ended: AbortSignal;
  readonly signal: AbortSignal;
}

/**
 * Asks for one page again where that may help, so that a list goes on at the page that failed. A list changes nothing, so it
 * may be asked for twice; there is one budget for all its pages.
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
        // There is no sense in waiting for what would come too late.
        if (performance.now() + delayMs >= deadline) throw error;
        retriesLeft -= 1;
        await delay(delayMs, AbortSignal.any([signal, ended]));
      }
    }
  };
}

/**
 * `undefined` if the page should not be asked for again. An error of the phase `handshake` comes from a challenge that was not met, so its
 * status is the authorization server's. Each further request for the page would present the refresh token again.
 */
function delayBeforeRetry(error: unknown): number | undefined {
  if (!(error instanceof McpError) || error.phase === "handshake") return undefined;
  const { code, httpStatus, retryAfterMs } = error;
  const isPassing = httpStatus === undefined ? code === "MCP_SESSION_LOST" : PASSING_STATUSES.has(httpStatus);
  const delayMs = retryAfterMs ?? RETRY_DELAY_MS;
  return isPassing && delayMs <= LONGEST_WAIT_MS ? delayMs : undefined;
}

function delay(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, clampDelay(delayMs));
    signal.addEventListener("abort", finish);
  });
}
