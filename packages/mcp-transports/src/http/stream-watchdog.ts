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

/** Detects that a stream has died without a packet: after a dropped NAT entry, or while the machine was asleep. */
export interface StreamWatchdog {
  /** Something arrived, even if only a comment. */
  heard(): void;
  /**
   * What was heard last brought a message. Messages come as often as there is something to say, so their pauses are no habit of the
   * server: only what it sends without need shows that it would be heard from.
   */
  heardMessage(): void;
  stop(): void;
}

/**
 * Begins to watch. Calls `onSuspicion` once when the connection should be replaced: after sleep, or when a server's regular
 * signs of life stop, such as comments. What arrived unread while the program was blocked or stopped is a sign of life. If a server
 * sends none, only the kernel's own probes detect a dead connection.
 */
export function createStreamWatchdog(onSuspicion: (why: string) => void): StreamWatchdog {
  let lastTick = Date.now();
  let lastHeard = Date.now();
  let pauses: number[] = [];
  let reading: NodeJS.Immediate | undefined;
  const stop = () => {
    clearInterval(timer);
    clearImmediate(reading);
  };
  // After a pause of the program itself, what the server sent meanwhile is still unread: the event loop first reads the network once.
  const suspect = (why: string) => {
    reading ??= setImmediate(() => {
      reading = setImmediate(() => {
        stop();
        onSuspicion(why);
      });
    });
  };
  const timer = setInterval(() => {
    const now = Date.now();
    const drift = now - lastTick - TICK_MS;
    lastTick = now;
    if (drift > LONGEST_DRIFT_MS) suspect("the machine was asleep");
    else if (isHabit(pauses) && now - lastHeard > longestSilence(pauses)) suspect("the stream fell silent");
  }, TICK_MS);
  return {
    heard() {
      const now = Date.now();
      // A pause that ends like this was the program's own, which says nothing about the server's habit.
      if (reading === undefined) pauses = [...pauses, now - lastHeard].slice(-KNOWN_PAUSES);
      clearImmediate(reading);
      reading = undefined;
      lastHeard = now;
    },
    heardMessage() {
      pauses = [];
    },
    stop,
  };
}

function isHabit(pauses: readonly number[]): boolean {
  const shortest = Math.min(...pauses);
  const isKnown = pauses.length === KNOWN_PAUSES && shortest >= SHORTEST_PAUSE_MS;
  return isKnown && Math.max(...pauses) <= shortest * UNLIKENESS;
}

function longestSilence(pauses: readonly number[]): number {
  return Math.max(MISSED_SIGNS * Math.max(...pauses), SHORTEST_SILENCE_MS);
}
