const SHORTEST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const FIRST_STEP_MS = 1000;

/** The longest delay although the next opening is likely to succeed: the last ones were so as well. */
const LONGEST_SOON_MS = 6_000;

/** Spreads clients that were told the same delay. A longer spread would make them late. */
const SPREAD_MS = 100;

/**
 * Decides how long a stream waits before it is opened again. The delay doubles to half a minute, and starts over after a message, or when a
 * stream has lasted that long. Half of it is random. A delay that the server asks for replaces the first one, and lengthens the others. So
 * there is never a burst, and never a longer silence.
 */
export class ReconnectPace {
  readonly #now: () => number;
  readonly #random: () => number;
  #openedAt = Number.NEGATIVE_INFINITY;
  /** How often the stream was opened in vain since the server was last well. */
  failures = 0;

  constructor({ now = Date.now, random = Math.random } = {}) {
    this.#now = now;
    this.#random = random;
  }

  /** The stream is being opened. */
  opened(): void {
    this.#openedAt = this.#now();
    this.failures += 1;
  }

  /** The stream has brought a message: the server is well. */
  recovered(): void {
    this.failures = 0;
  }

  /** `retryMs`: the delay that the server asked for. */
  nextDelayMs(retryMs: number | undefined): number {
    if (this.#now() - this.#openedAt >= LONGEST_DELAY_MS) this.failures = 0;
    const own = backOff(this.failures, this.#random());
    const asked = retryMs === undefined ? own : retryMs + this.#random() * SPREAD_MS;
    const wanted = this.failures > 1 ? Math.max(asked, own) : asked;
    return Math.min(Math.max(wanted, SHORTEST_DELAY_MS), LONGEST_DELAY_MS);
  }

  /** The delay when the next opening is likely to succeed: none at first, then at most 6 s. */
  soonestDelayMs(): number {
    if (this.failures <= 1) return 0;
    const delayMs = Math.min(backOff(this.failures - 1, 0), LONGEST_SOON_MS);
    return Math.max(0, this.#openedAt + delayMs - this.#now());
  }
}

function backOff(failures: number, share: number): number {
  const ceiling = Math.min(FIRST_STEP_MS * 2 ** Math.max(failures - 1, 0), LONGEST_DELAY_MS);
  return (ceiling * (1 + share)) / 2;
}
