import { readdirSync, readFileSync } from "node:fs";
import { TEST_RUN_VARIABLE, testRunId } from "./test-run.ts";

/** A process as `/proc` shows it. */
export interface RunningProcess {
  readonly pid: number;
  /** Tells it from a later process with the same id. */
  readonly identity: string;
  readonly commandLine: string;
}

/**
 * The processes this one is answerable for: its descendants, and those that bear the mark of its test run though their
 * parents are gone. Empty where there is no `/proc`.
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
  // The name in parentheses may contain anything; the fields after it are proc(5)'s third and following.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || state === "Z") return undefined;
  const startTime = fields[18];
  const commandLine = textOf(`/proc/${pid}/cmdline`).split("\0").join(" ").trim();
  return { pid, identity: `${pid}-${startTime}`, commandLine };
}

/** Processes come and go while they are looked at: what cannot be read is empty. */
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
