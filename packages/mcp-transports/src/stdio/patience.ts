import { setImmediate as nextTurn } from "node:timers/promises";

/** The turns of the event loop that it takes to read an ended stream to its end and close it. */
const TURNS_TO_LISTEN = 3;

/**
 * A signal that fires after the given time, but not before the events that happened meanwhile were handled. After a long turn
 * of the event loop, timers come first, so a busy host would give up on events that are already there.
 */
export function patienceOf(durationMs: number): AbortSignal {
  const controller = new AbortController();
  const end = async () => {
    for (let turn = 0; turn < TURNS_TO_LISTEN; turn += 1) await nextTurn();
    controller.abort();
  };
  setTimeout(() => void end(), durationMs).unref();
  return controller.signal;
}
