import { setImmediate as nextTurn } from "node:timers/promises";

/** A stream that has ended needs so many turns of the event loop to be read to its end and closed. */
const TURNS_TO_LISTEN = 3;

/**
 * A signal that fires after so many milliseconds, though not before everything that has happened meanwhile was heard of: after
 * a long turn of the event loop timers come first, and would make who was busy give up on what has long been there.
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
