/** Hears of every end of the host that can be heard of. */
export interface HostEndWatch {
  start(): void;
  stop(): void;
}

/** Signals whose default action ends a process without an `exit` event. */
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Marks our signal listeners, so that the watches of several copies of this package know each other. */
const YIELDING = Symbol.for("jackfield.yieldingSignalListener");

/** Where the watches of one process find each other: each listener costs, and Node.js warns of more than ten. */
const SHARED = Symbol.for("jackfield.hostEndWatches");

/** All that is called back in one process, also for several copies of this package. */
interface SharedWatch {
  add(onEnd: () => void): void;
  remove(onEnd: () => void): void;
}

/**
 * Calls back synchronously when the host ends. Once started it listens to `exit`, and to the signals that would end the host
 * without one: our children lead their own sessions, so the terminal's Ctrl+C does not reach them.
 *
 * A host that handles a signal itself decides alone what it means; our listener then does nothing, and `exit` follows.
 * Only where nobody else listens would listening keep the host alive: there it is called back, the listener goes, and the
 * signal is raised again.
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

/** Listens as long as there is anybody to be called back. */
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
      // Whoever is left yields as well, and is called next: it will find itself alone.
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

/** Whether anybody decides what the signal means who would not also yield to the default action. */
function hasOtherListeners(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => !(YIELDING in listener));
  return others.length > countYieldingLibraryListeners();
}

/**
 * The widespread library `signal-exit` (versions 3 and 4) follows our own rule: it raises the signal again if it finds
 * itself alone. Were it taken for a host's decision, each would wait for the other and the signal be lost. Both versions
 * publish how many listeners they have per signal.
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
