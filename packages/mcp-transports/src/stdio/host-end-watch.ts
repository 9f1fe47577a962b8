/** Calls back on every end of the host that can be noticed. */
export interface HostEndWatch {
  start(): void;
  stop(): void;
}

/** Signals whose default action ends a process without an `exit` event. */
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Marks our signal listeners, so that several copies of this package recognise each other's. */
const YIELDING = Symbol.for("jackfield.yieldingSignalListener");

/** The key of the one watch that a process shares: each listener costs, and Node.js warns of more than ten. */
const SHARED = Symbol.for("jackfield.hostEndWatches");

/** The callbacks of one process, also for several copies of this package. */
interface SharedWatch {
  add(onEnd: () => void): void;
  remove(onEnd: () => void): void;
}

/**
 * Calls back synchronously when the host ends. Once started, it listens to `exit`, and to the signals that would end the
 * host without `exit`: our children lead their own sessions, so the terminal's Ctrl+C does not reach them.
 *
 * If the host handles a signal itself, our listener does nothing, and `exit` follows if the host ends. If nothing else
 * listens, our listener alone would keep the host alive: it calls back, removes itself and raises the signal again.
 */
export function createHostEndWatch(onEnd: () => void): HostEndWatch {
  return {
    start: () => sharedWatch().add(onEnd),
    stop: () => sharedWatch().remove(onEnd),
  };
}

function sharedWatch(): SharedWatch {
  const shared = globalThis as { [SHARED]?: SharedWatch };
  shared[SHARED] ??= createSharedWatch();
  return shared[SHARED];
}

/** Listens as long as there are callbacks. */
function createSharedWatch(): SharedWatch {
  const watching = new Set<() => void>();
  const endAll = () => {
    for (const onEnd of watching) onEnd();
  };
  const onSignal = Object.assign(
    (signal: NodeJS.Signals) => {
      if (hasOtherListeners(signal)) return;
      endAll();
      watching.clear();
      stop();
      // Any remaining listener yields as well and is called next. The last one finds itself alone.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    },
    { [YIELDING]: true },
  );
  const stop = () => {
    process.off("exit", endAll);
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  };
  const start = () => {
    process.on("exit", endAll);
    // First in line: a listener added with `once` has removed itself by the time that later ones are called.
    if (process.platform !== "win32")
      for (const signal of ENDING_SIGNALS) process.prependListener(signal, onSignal);
  };
  return {
    add(onEnd) {
      if (watching.size === 0) start();
      watching.add(onEnd);
    },
    remove(onEnd) {
      if (watching.delete(onEnd) && watching.size === 0) stop();
    },
  };
}

/** Whether a listener handles the signal without yielding to the default action. */
function hasOtherListeners(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => !(YIELDING in listener));
  return others.length > countYieldingLibraryListeners();
}

/**
 * The widespread library `signal-exit` (versions 3 and 4) follows our own rule: it raises the signal again if it finds
 * itself alone. If it counted as a handler of the host, each would wait for the other and the signal would be lost. Both
 * versions publish how many listeners they have per signal.
 */
function countYieldingLibraryListeners(): number {
  const published = [
    (globalThis as { [key: symbol]: unknown })[Symbol.for("signal-exit emitter")],
    (process as { __signal_exit_emitter__?: unknown }).__signal_exit_emitter__,
  ];
  return published.reduce<number>((sum, emitter) => sum + readCount(emitter), 0);
}

function readCount(emitter: unknown): number {
  const count = typeof emitter === "object" && emitter !== null && "count" in emitter ? emitter.count : 0;
  return typeof count === "number" ? count : 0;
}
