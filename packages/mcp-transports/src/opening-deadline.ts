import { ChannelFault } from "./channel-fault.ts";
import { clampDelay } from "./timer-delay.ts";

/** The single deadline of an opening. Everything that the opening awaits goes through `race`. */
export interface OpeningDeadline {
  /** Fires when the deadline expires or the caller gives up; the reason is a `ChannelFault`. */
  readonly signal: AbortSignal;
  /** Settles like the promise, or rejects as soon as the signal fires. The promise itself goes on. */
  race<T>(promise: Promise<T>): Promise<T>;
  stop(): void;
}

/** Starts the clock. `timeoutMs` of `0` means no limit. */
export function createOpeningDeadline(timeoutMs: number, caller: AbortSignal): OpeningDeadline {
  const controller = new AbortController();
  const giveUp = () => controller.abort(new ChannelFault({ kind: "aborted" }, { cause: caller.reason }));
  const expire = () => controller.abort(new ChannelFault({ kind: "deadline-expired" }));
  const timer = timeoutMs > 0 ? setTimeout(expire, clampDelay(timeoutMs)) : undefined;
  if (caller.aborted) giveUp();
  else caller.addEventListener("abort", giveUp, { once: true });
  const { signal } = controller;
  return {
    signal,
    race: (promise) => raceSignal(promise, signal),
    stop() {
      clearTimeout(timer);
      caller.removeEventListener("abort", giveUp);
    },
  };
}

function raceSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
