import { readdirSync, readFileSync } from "node:fs";
import { TEST_RUN_VARIABLE, testRunId } from "./test-run.ts";

/** A process as `/proc` shows it. */
export interface RunningProcess {
  readonly pid: number;
  readonly commandLine: string;
}

/** The ids of all processes of the machine. Empty on systems without `/proc`. */
export function processIds(): ReadonlySet<number> {
  return new Set(
    entriesOf("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number),
  );
}

/**
 * The processes that this one has started: its descendants, and orphans marked with its test run's id. Those that are known are left out
 * unread, because reading hundreds of processes takes milliseconds. Empty on systems without `/proc`.
 */
export function runningProcesses(known: ReadonlySet<number> = new Set()): readonly RunningProcess[] {
  const isNew = (pid: number) => pid !== process.pid && !known.has(pid);
  const orphans = [...processIds()].filter((pid) => isNew(pid) && isMarked(pid));
  const pids = new Set([...descendantsOf(process.pid).filter(isNew), ...orphans]);
  return [...pids].flatMap((pid) => describe(pid) ?? []);
}

function descendantsOf(pid: number): readonly number[] {
  const children = entriesOf(`/proc/${pid}/task`).flatMap((task) =>
    textOf(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function isMarked(pid: number): boolean {
  const mark = `${TEST_RUN_VARIABLE}=${testRunId()}`;
  return textOf(`/proc/${pid}/environ`).split("\0").includes(mark);
}

function describe(pid: number): RunningProcess | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in parentheses may contain anything. The third field of proc(5) follows it.
  const [state] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || state === "Z") return undefined;
  const commandLine = textOf(`/proc/${pid}/cmdline`).split("\0").join(" ").trim();
  return { pid, commandLine };
}

/** Returns an empty text for an unreadable file, because processes may end while they are read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
