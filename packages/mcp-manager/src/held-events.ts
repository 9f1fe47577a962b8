import type { Emitter } from "./emitter.ts";

/** Emits events after the change they are about is complete. */
export interface HeldEmitter<Events> extends Emitter<Events> {
  /** Runs `work`; events emitted meanwhile are delivered in order after it, before this returns. */
  after<T>(work: () => T): T;
}

/** A listener may start such work again; its events are delivered after those already waiting. */
export function holdEvents<Events>(events: Emitter<Events>): HeldEmitter<Events> {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  let isTelling = false;

  function tell(): void {
    if (isTelling) return; // Called by a listener; the earlier events go first.
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
