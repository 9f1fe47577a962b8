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
  let isDelivering = false;

  function deliverWaiting(): void {
    if (isDelivering) return; // Called by a listener; the earlier events go first.
    isDelivering = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
    } finally {
      isDelivering = false;
    }
  }

  return {
    on: events.on,
    emit(event, value) {
      if (isHeld || isDelivering) waiting.push(() => events.emit(event, value));
      else events.emit(event, value);
    },
    after(work) {
      isHeld = true;
      try {
        return work();
      } finally {
        isHeld = false;
        deliverWaiting();
      }
    },
  };
}
