/** A moment that is known to within a turn of promises: the end of the turn, or now while it lasts. */
export interface Turn {
  /** By the monotonic clock of `performance.now()`, in milliseconds. */
  readonly endedAt: number;
}

/** Its reactions run after those that are due already, and cost less than those of `queueMicrotask`. */
const DUE = Promise.resolve();

let current: UnderWay | undefined;

/**
 * The present turn of promises. Calls that begin or end together share it, so the clock is read once for all of them: reading it
 * takes longer than any other step of a call.
 */
export function thisTurn(): Turn {
  current ??= begin();
  return current;
}

function begin(): UnderWay {
  const turn = new UnderWay();
  void DUE.then(() => {
    turn.end();
    current = undefined;
  });
  return turn;
}

class UnderWay implements Turn {
  #endedAt: number | undefined;

  get endedAt(): number {
    return this.#endedAt ?? performance.now();
  }

  end(): void {
    this.#endedAt = performance.now();
  }
}
