/** How often a stream is opened at most within the window, whatever the server asks for. */
const MOST_OPENINGS = 12;
const WINDOW_MS = 60_000;

const SHORTEST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const FIRST_STEP_MS = 1000;

/** Spreads clients that were told the same delay. A longer spread would make them late. */
const SPREAD_MS = 100;

export interface ReconnectPaceOptions {
  now(): number;
  /** From 0 to 1. */
  random(): number;
}

/** Decides how long a stream waits before it is opened again. */
export interface ReconnectPace {
  /** The stream is being opened. */
  opened(): void;
  /** The stream has brought a message, or a session has begun: the server is well. */
  recovered(): void;
  /** `retryMs`: the delay that the server asked for. */
  nextDelayMs(retryMs: number | undefined): number;
  /** The delay when the next opening is likely to succeed: only the limit on openings counts. */
  soonestDelayMs(): number;
  /** How often the stream was opened in vain since the server was last well. */
  readonly failures: number;
}

/**
 * The delay doubles, with full jitter, until the server is well; a delay that the server asks for replaces it. Neither may
 * be shorter than half a second or longer than half a minute, and there are at most 12 openings a minute.
 */
export function createReconnectPace({ now, random }: ReconnectPaceOptions): ReconnectPace {
  let openings: number[] = [];
  let failures = 0;
  const soonestDelayMs = () => {
    const [oldest] = openings;
    if (oldest === undefined || openings.length < MOST_OPENINGS) return 0;
    return Math.max(0, oldest + WINDOW_MS - now());
  };
  return {
    get failures() {
      return failures;
    },
    opened() {
      openings = [...openings, now()].slice(-MOST_OPENINGS);
      failures += 1;
    },
    recovered() {
      failures = 0;
    },
    nextDelayMs(retryMs) {
      const wanted = retryMs === undefined ? backOff(failures, random()) : retryMs + random() * SPREAD_MS;
      const bounded = Math.min(Math.max(wanted, SHORTEST_DELAY_MS), LONGEST_DELAY_MS);
      return Math.max(bounded, soonestDelayMs());
    },
    soonestDelayMs,
  };
}

function backOff(failures: number, share: number): number {
  const ceiling = Math.min(FIRST_STEP_MS * 2 ** Math.max(failures - 1, 0), LONGEST_DELAY_MS);
  return SHORTEST_DELAY_MS + share * (ceiling - SHORTEST_DELAY_MS);
}
