/** Whatever a server asks for, a stream is not opened more often. */
const MOST_OPENINGS = 12;
const WINDOW_MS = 60_000;

const SHORTEST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const FIRST_STEP_MS = 1000;

/** Spreads clients that were told the same delay; more would make them late. */
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
  /** The stream has brought a message, or its session was begun anew: its server is well. */
  recovered(): void;
  /** `retryMs`: what the server asked for. */
  nextDelayMs(retryMs: number | undefined): number;
  /** The same where something has happened that may let it be opened: there is nothing to wait for but the number of openings. */
  soonestDelayMs(): number;
  /** How often it has been opened in vain since its server was last well. */
  readonly failures: number;
}

/**
 * The delay doubles, with full jitter, until the server is well; what a server asks for takes its place. Neither may
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
