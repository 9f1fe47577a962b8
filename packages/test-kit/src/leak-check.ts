import { AssertionError } from "node:assert";
import { aroundEach } from "vitest";
import { watchResources } from "./active-resource.ts";
import { runningProcesses } from "./running-process.ts";

/** What exists at one moment, to be compared with a later one. */
export interface LeakCheck {
  /**
   * Waits until nothing is left that did not exist when the check began: child processes and their children, whatever
   * `stdioFaultServer` started, timers, sockets, pipes, listeners of the process, unhandled rejections. Ends the check.
   *
   * @throws AssertionError that lists what is left, if it does not go away.
   */
  assertClean(): Promise<void>;
}

/** Options of `leakCheck`. */
export interface LeakCheckOptions {
  /** How often to look before giving up, 20 ms apart. Default 200. */
  readonly rounds?: number | undefined;
}

const ROUND_MS = 20;

// The real ones, whatever a test puts in their place later.
const { setTimeout: wait, setImmediate: nextTurn } = globalThis;

/** Begins a check. Child processes are found on Linux only. */
export function leakCheck({ rounds = 200 }: LeakCheckOptions = {}): LeakCheck {
  const processesBefore = new Set(runningProcesses().map(({ identity }) => identity));
  const resources = watchResources();
  const listenersBefore = processListeners();
  const rejections = watchRejections();

  const leftovers = (): readonly string[] => [
    ...runningProcesses()
      .filter(({ identity }) => !processesBefore.has(identity))
      .map(({ pid, commandLine }) => `process ${pid}: ${commandLine}`),
    ...resources.current(),
    ...addedListeners(listenersBefore),
    ...rejections.current(),
  ];

  return {
    async assertClean() {
      let left: readonly string[] = [];
      try {
        for (let round = 0; round < rounds; round += 1) {
          await nextRound(round);
          left = leftovers();
          if (left.length === 0) return;
        }
      } finally {
        rejections.stop();
        resources.stop();
      }
      throw new AssertionError({ message: `Left over:\n${left.map((line) => `- ${line}`).join("\n")}` });
    },
  };
}

/** The first look comes at once. Node reports the end of a timer in the turn after it. */
function nextRound(round: number): Promise<void> {
  return new Promise((resolve) => {
    if (round === 0) nextTurn(resolve);
    else wait(() => nextTurn(resolve), ROUND_MS);
  });
}

/**
 * Checks every test of the file after all it has cleaned up, or of a package if a setup file calls it. To be called before any
 * other hook is registered. Tests that run beside each other share one check: it ends with the last of them, and says where
 * what is left was opened.
 */
export function useLeakCheck(options: LeakCheckOptions = {}): void {
  let running = 0;
  let check: LeakCheck | undefined;
  let checking: Promise<void> = Promise.resolve();
  aroundEach(async (runTest) => {
    await checking.catch(() => {}); // whoever began it tells what it found
    if (running === 0) check = leakCheck(options);
    running += 1;
    try {
      await runTest();
    } finally {
      running -= 1;
      if (running === 0 && check) {
        checking = check.assertClean();
        await checking;
      }
    }
  });
}

/** Counted without the check's own, which come later. */
const CHECKED_EVENTS_EXCEPT = new Set<string | symbol>(["unhandledRejection", "rejectionHandled"]);

/** How many listeners each event of this process has. */
function processListeners(): ReadonlyMap<string | symbol, number> {
  const names = process.eventNames().filter((name) => !CHECKED_EVENTS_EXCEPT.has(name));
  return new Map(names.map((name) => [name, process.listenerCount(name)]));
}

function addedListeners(before: ReadonlyMap<string | symbol, number>): string[] {
  return [...processListeners()].flatMap(([name, count]) => {
    const added = count - (before.get(name) ?? 0);
    return added > 0 ? [`${added} listener of the process's event "${String(name)}"`] : [];
  });
}

interface RejectionWatch {
  current(): readonly string[];
  stop(): void;
}

function watchRejections(): RejectionWatch {
  const unhandled = new Map<Promise<unknown>, unknown>();
  const add = (reason: unknown, promise: Promise<unknown>) => unhandled.set(promise, reason);
  const remove = (promise: Promise<unknown>) => unhandled.delete(promise);
  process.on("unhandledRejection", add).on("rejectionHandled", remove);
  return {
    current: () => [...unhandled.values()].map((reason) => `unhandled rejection: ${String(reason)}`),
    stop() {
      process.off("unhandledRejection", add).off("rejectionHandled", remove);
    },
  };
}
