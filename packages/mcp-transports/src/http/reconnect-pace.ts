const SHORTEST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const FIRST_STEP_MS = 1000;

/** The longest delay although the next opening is likely to succeed: the last ones were so as well. */
const LONGEST_SOON_MS = 6_000;

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
  /** The stream has brought a message: the server is well. */
  recovered(): void;
  /** `retryMs`: the delay that the server asked for. */
  nextDelayMs(retryMs: number | undefined): number;
  /** The delay when the next opening is likely to succeed: none at first, then at most 6 s. */
  soonestDelayMs(): number;
  /** How often the stream was opened in vain since the server was last well. */
  readonly failures: number;
}

/**
 * The delay doubles to half a minute, and starts over after a message, or when a stream has lasted that long. Half of it is random. A delay
 * that the server asks for replaces the first one, and lengthens the others. So there is never a burst, and never a longer silence.
 */
export function createReconnectPace({ now, random }: ReconnectPaceOptions): ReconnectPace {
  let openedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  return {
    get failures() {
      return failures;
    },
    opened() {
      openedAt = now();
      failures += 1;
    },
    recovered() {
      failures = 0;
    },
    nextDelayMs(retryMs) {
      if (now() - openedAt >= LONGEST_DELAY_MS) failures = 0;
      const own = backOff(failures, random());
      const asked = retryMs === undefined ? own : retryMs + random() * SPREAD_MS;
      const wanted = failures > 1 ? Math.max(asked, own) : asked;
      return Math.min(Math.max(wanted, SHORTEST_DELAY_MS), LONGEST_DELAY_MS);
    },
    soonestDelayMs() {
      if (failures <= 1) return 0;
      return Math.max(0, openedAt + Math.min(backOff(failures - 1, 0), LONGEST_SOON_MS) - now());
    },
  };
}

function backOff(failures: number, share: number): number {
  const ceiling = Math.min(FIRST_STEP_MS * 2 ** Math.max(failures - 1, 0), LONGEST_DELAY_MS);
  return (ceiling * (1 + share)) / 2;
}
