import { AssertionError } from "node:assert";
import { aroundEach } from "vitest";
import { watchResources } from "./active-resource.ts";
import { processIds, runningProcesses } from "./running-process.ts";

/** A snapshot of the process's resources, to be compared with a later state. */
export interface LeakCheck {
  /**
   * Waits until nothing is left that did not exist when the check began: child processes and their descendants, processes of
   * `stdioFaultServer`, timers, sockets, pipes, listeners of the process, unhandled rejections. Ends the check.
   *
   * @throws AssertionError that lists the leftovers
   */
  assertClean(): Promise<void>;
}

/** Options of `leakCheck`. */
export interface LeakCheckOptions {
  /** How many times to look before failing, 20 ms apart. Default 1,500, half a minute: a busy machine ends processes late. */
  readonly rounds?: number | undefined;
}

const ROUND_MS = 20;

// The real timers, even if a test installs fake ones later.
const { setTimeout: wait, setImmediate: nextTurn } = globalThis;

/** Begins a check. It finds child processes on Linux only. */
export function leakCheck({ rounds = 1500 }: LeakCheckOptions = {}): LeakCheck {
  const processesBefore = processIds();
  const resources = watchResources();
  const listenersBefore = processListeners();
  const rejections = watchRejections();

  const leftovers = (): readonly string[] => [
    ...runningProcesses(processesBefore).map(({ pid, commandLine }) => `process ${pid}: ${commandLine}`),
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

/** The first round starts at once. It waits one turn, because Node reports the end of a timer in the next turn. */
function nextRound(round: number): Promise<void> {
  return new Promise((resolve) => {
    if (round === 0) nextTurn(resolve);
    else wait(() => nextTurn(resolve), ROUND_MS);
  });
}

/**
 * Checks every test of the file, or of a package if a setup file calls it, after the test's own clean-up. Call it before any
 * other hook is registered. Concurrent tests share one check: it ends with the last of them, and says where leftovers were
 * opened.
 */
export function useLeakCheck(options: LeakCheckOptions = {}): void {
  let running = 0;
  let check: LeakCheck | undefined;
  let checking: Promise<void> = Promise.resolve();
  aroundEach(async (runTest) => {
    await checking.catch(() => {}); // the test that began it reports the error
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

/** The events that the check itself listens to, which are not checked. */
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
