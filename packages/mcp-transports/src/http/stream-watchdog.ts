const TICK_MS = 5000;

/** A tick that is later than this means that the machine was asleep. */
const LONGEST_DRIFT_MS = 30_000;

/** A stream counts as dead after this many of its usual pauses, but not before the shortest silence has passed. */
const MISSED_SIGNS = 3;
const SHORTEST_SILENCE_MS = 15_000;

/** This many pauses in a row, long and of similar length, count as a habit of the server. */
const KNOWN_PAUSES = 3;
const SHORTEST_PAUSE_MS = 1000;
const UNLIKENESS = 1.5;

/**
 * Detects that a stream has died without a packet: after a dropped NAT entry, or while the machine was asleep. Calls back once when
 * the connection should be replaced: after sleep, or when a server's regular signs of life stop, such as comments. What arrived unread while
 * the program was blocked or stopped is a sign of life. If a server sends none, only the kernel's own probes detect a dead connection.
 */
export class StreamWatchdog {
  readonly #onSuspicion: (why: string) => void;
  readonly #timer = setInterval(() => this.#tick(), TICK_MS);
  #lastTick = Date.now();
  #lastHeard = Date.now();
  #pauses: number[] = [];
  #reading: NodeJS.Immediate | undefined;

  constructor(onSuspicion: (why: string) => void) {
    this.#onSuspicion = onSuspicion;
  }

  /** Something arrived, even if only a comment. */
  heard(): void {
    const now = Date.now();
    // A pause that ends like this was the program's own, which says nothing about the server's habit.
    if (this.#reading === undefined)
      this.#pauses = [...this.#pauses, now - this.#lastHeard].slice(-KNOWN_PAUSES);
    clearImmediate(this.#reading);
    this.#reading = undefined;
    this.#lastHeard = now;
  }

  /**
   * What was heard last brought a message. Messages come as often as there is something to say, so their pauses are no habit of the
   * server: only what it sends without need shows that it would be heard from.
   */
  heardMessage(): void {
    this.#pauses = [];
  }

  stop(): void {
    clearInterval(this.#timer);
    clearImmediate(this.#reading);
  }

  #tick(): void {
    const now = Date.now();
    const drift = now - this.#lastTick - TICK_MS;
    this.#lastTick = now;
    if (drift > LONGEST_DRIFT_MS) this.#suspect("the machine was asleep");
    else if (isHabit(this.#pauses) && now - this.#lastHeard > longestSilence(this.#pauses))
      this.#suspect("the stream fell silent");
  }

  /** After a pause of the program itself, what the server sent meanwhile is still unread: the event loop first reads the network once. */
  #suspect(why: string): void {
    this.#reading ??= setImmediate(() => {
      this.#reading = setImmediate(() => {
        this.stop();
        this.#onSuspicion(why);
      });
    });
  }
}

function isHabit(pauses: readonly number[]): boolean {
  const shortest = Math.min(...pauses);
  const isKnown = pauses.length === KNOWN_PAUSES && shortest >= SHORTEST_PAUSE_MS;
  return isKnown && Math.max(...pauses) <= shortest * UNLIKENESS;
}

function longestSilence(pauses: readonly number[]): number {
  return Math.max(MISSED_SIGNS * Math.max(...pauses), SHORTEST_SILENCE_MS);
}
