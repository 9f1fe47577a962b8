import type { Emitter } from "./emitter.ts";

/** Tells events when what they are about is complete. */
export interface HeldEmitter<Events> extends Emitter<Events> {
  /** Does something; what is emitted meanwhile is told in order when it is done, before this returns. */
  after<T>(work: () => T): T;
}

/** A listener is free to begin the same work again: what comes of it is told after what is waiting already. */
export function holdEvents<Events>(events: Emitter<Events>): HeldEmitter<Events> {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  let isTelling = false;

  function tell(): void {
    if (isTelling) return; // A listener brought this about; the events before go first.
    isTelling = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
    } finally {
      isTelling = false;
    }
  }

  return {
    on: events.on,
    emit(event, value) {
      if (isHeld || isTelling) waiting.push(() => events.emit(event, value));
      else events.emit(event, value);
    },
    after(work) {
      isHeld = true;
      try {
        return work();
      } finally {
        isHeld = false;
        tell();
      }
    },
  };
}
