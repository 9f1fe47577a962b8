import { readdirSync, readFileSync } from "node:fs";
import { TEST_RUN_VARIABLE, testRunId } from "./test-run.ts";

/** A process as `/proc` shows it. */
export interface RunningProcess {
  readonly pid: number;
  /** Distinguishes it from a later process with the same pid. */
  readonly identity: string;
  readonly commandLine: string;
}

/**
 * The processes that this one has started: its descendants, and orphans marked with its test run's id. Empty on systems without
 * `/proc`.
 */
export function runningProcesses(): readonly RunningProcess[] {
  const pids = new Set([...descendantsOf(process.pid), ...markedProcesses()]);
  pids.delete(process.pid);
  return [...pids].flatMap((pid) => describe(pid) ?? []);
}

function descendantsOf(pid: number): readonly number[] {
  const children = entriesOf(`/proc/${pid}/task`).flatMap((task) =>
    textOf(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function markedProcesses(): readonly number[] {
  const mark = `${TEST_RUN_VARIABLE}=${testRunId()}`;
  return entriesOf("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => textOf(`/proc/${pid}/environ`).split("\0").includes(mark))
    .map(Number);
}

function describe(pid: number): RunningProcess | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in parentheses may contain anything. The third field of proc(5) follows it.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || state === "Z") return undefined;
  const startTime = fields[18];
  const commandLine = textOf(`/proc/${pid}/cmdline`).split("\0").join(" ").trim();
  return { pid, identity: `${pid}-${startTime}`, commandLine };
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
