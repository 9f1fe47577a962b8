import { setImmediate as nextTurn } from "node:timers/promises";
import { fileSystem } from "@jackfield/mcp-core/node";

/** `node:child_process`, fetched instead of imported: an `import` copies every export and so loads parts that are rarely used. */
export const childProcesses = process.getBuiltinModule("node:child_process");

/** What the system says of one process. */
export interface ProcessFact {
  readonly pid: number;
  /** Its start time as the system writes it: with the number, it tells a process from earlier and later ones. */
  readonly start: string;
  readonly parentPid: number;
  readonly groupId: number;
  /** Missing where the system does not tell. */
  readonly sessionId?: number | undefined;
  /** It has ended, but its parent has not reaped it yet. */
  readonly isDead: boolean;
}

let upcoming: Promise<readonly ProcessFact[]> | undefined;

/** All processes, at a moment after the call. Calls in one turn share a scan. None where the system does not tell. */
export function allProcesses(): Promise<readonly ProcessFact[]> {
  upcoming ??= nextTurn().then(() => {
    upcoming = undefined;
    return process.platform === "linux" ? procFacts() : psFacts();
  });
  return upcoming;
}

/** Those of the given processes that there are. */
export async function processesOf(pids: readonly number[]): Promise<readonly ProcessFact[]> {
  if (pids.length === 0) return [];
  return process.platform === "linux" ? procFacts(pids) : psFacts(pids);
}

/** All processes, or those of the given ones that there are, without waiting: for a start, and for a host that is ending. */
export function processesNow(pids?: readonly number[]): readonly ProcessFact[] {
  if (process.platform === "linux") return procFacts(pids);
  if (process.platform === "win32") return [];
  return parsePsOutput(ps(psArguments(pids)));
}

function ps(args: readonly string[]): string {
  return childProcesses.spawnSync("ps", args, PS_OPTIONS).stdout ?? "";
}

/** A whole scan takes a few milliseconds; asynchronous reads would take ten times as long. */
function procFacts(pids?: readonly number[]): readonly ProcessFact[] {
  try {
    const wanted = pids ?? fileSystem.readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
    return wanted.flatMap((pid) => procFact(pid) ?? []);
  } catch {
    return [];
  }
}

/** Far longer than any such line. `/proc` tells no file size, so reading the file as a whole would take 64 KiB for each process. */
const statLine = Buffer.allocUnsafe(4096);

function procFact(pid: number | string): ProcessFact | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = fileSystem.openSync(`/proc/${pid}/stat`, "r");
    const length = fileSystem.readSync(descriptor, statLine, 0, statLine.length, 0);
    return parseProcStat(statLine.toString("latin1", 0, length));
  } catch {
    return undefined; // it has ended
  } finally {
    if (descriptor !== undefined) fileSystem.closeSync(descriptor);
  }
}

/**
 * Reads `/proc/<pid>/stat` (proc(5)): state, parent, group and session are fields 3 to 6, the start time is field 22. The
 * second field is the program's name in parentheses, and may itself hold spaces and parentheses.
 */
export function parseProcStat(text: string): ProcessFact | undefined {
  const nameEnd = text.lastIndexOf(")");
  const fields = text.slice(nameEnd + 2).split(" ");
  const [state, parentPid, groupId, sessionId] = fields;
  const start = fields[19];
  const pid = Number.parseInt(text, 10);
  if (nameEnd === -1 || !(pid > 0) || start === undefined) return undefined;
  return {
    ...{ pid, start, isDead: isDeadState(state) },
    ...{ parentPid: Number(parentPid), groupId: Number(groupId), sessionId: Number(sessionId) },
  };
}

/** The start time is text: it must not depend on the language or the time zone. */
const PS_OPTIONS = {
  env: { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" },
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
} as const;

function psArguments(pids: readonly number[] | undefined): string[] {
  return [...(pids ? ["-p", pids.join(",")] : ["-A"]), "-o", "pid=,ppid=,pgid=,stat=,lstart="];
}

/** For systems without `/proc`. `ps` fails if there is none of the processes. */
export async function psFacts(pids?: readonly number[]): Promise<readonly ProcessFact[]> {
  if (process.platform === "win32") return [];
  const { promisify } = process.getBuiltinModule("node:util");
  const run = promisify(childProcesses.execFile)("ps", psArguments(pids), PS_OPTIONS);
  return run.then(
    ({ stdout }) => parsePsOutput(stdout),
    () => [],
  );
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/;

/** Lines that are something else are left out. */
export function parsePsOutput(text: string): readonly ProcessFact[] {
  return text.split("\n").flatMap((line) => {
    const [, pid, parentPid, groupId, state, start] = PS_LINE.exec(line) ?? [];
    if (start === undefined) return [];
    return {
      ...{ pid: Number(pid), start, isDead: isDeadState(state) },
      ...{ parentPid: Number(parentPid), groupId: Number(groupId) },
    };
  });
}

function isDeadState(state: string | undefined): boolean {
  return state !== undefined && /^[ZXx]/.test(state);
}

/** The programs of these processes with their arguments, with a space between, by number. */
export function commandLinesOf(pids: readonly number[]): ReadonlyMap<number, string> {
  const told =
    process.platform === "linux"
      ? pids.map((pid) => `${pid} ${procCommandLine(pid)}`)
      : ps(["-p", pids.join(","), "-o", "pid=,args="]).split("\n");
  return new Map(
    told.flatMap((line) => {
      const [, pid, words] = /^\s*(\d+)\s+(.+)$/s.exec(line) ?? [];
      return words === undefined ? [] : [[Number(pid), words] as const];
    }),
  );
}

function procCommandLine(pid: number): string {
  try {
    return fileSystem.readFileSync(`/proc/${pid}/cmdline`, "utf8").replace(/\0$/, "").replaceAll("\0", " ");
  } catch {
    return ""; // it has ended
  }
}
