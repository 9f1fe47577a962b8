import { setTimeout as pause } from "node:timers/promises";
import { fileSystem } from "@jackfield/mcp-core/node";
import { childProcesses } from "../builtin-modules.ts";
import {
  createProcessSnapshot,
  type ProcessFact,
  type ProcessSnapshot,
  PS_COLUMNS,
  parseProcStat,
  parsePsOutput,
} from "./process-snapshot.ts";

/** Scans follow each other no faster than this, and take no more than a fifth of the time. */
const SHORTEST_INTERVAL_MS = 20;
const REST_PER_SCAN = 4;

/** Tells which processes there are. Everything is `undefined` where the system does not tell. */
export interface ProcessTable {
  /**
   * All processes at a moment after the call. Calls while a scan is scheduled share it, so many trees that end together cost no more than
   * one. Scans are at least 20 ms apart, so a caller that polls needs no pause of its own.
   */
  snapshot(): Promise<ProcessSnapshot | undefined>;
  /** All processes now, read synchronously, for a host that is ending. */
  snapshotNow(): ProcessSnapshot | undefined;
  /** One process now. */
  inspect(pid: number): ProcessFact | undefined;
}

/** How processes are read from the system. */
export interface ProcessSource {
  scan(): ProcessFact[] | Promise<ProcessFact[]>;
  scanNow(): ProcessFact[];
  inspect(pid: number): ProcessFact | undefined;
}

/** Reads the system's processes: `/proc` on Linux, `ps` on other POSIX systems, nothing on Windows. */
export function createProcessTable(source: ProcessSource = systemSource()): ProcessTable {
  let nextScanAt = 0;
  let upcoming: Promise<ProcessSnapshot | undefined> | undefined;

  const scan = async () => {
    const startedAt = performance.now();
    nextScanAt = startedAt + SHORTEST_INTERVAL_MS;
    try {
      return toSnapshot(await source.scan());
    } catch {
      return undefined;
    } finally {
      const tookMs = performance.now() - startedAt;
      nextScanAt = startedAt + tookMs + Math.max(SHORTEST_INTERVAL_MS, REST_PER_SCAN * tookMs);
    }
  };
  const scanAfter = async (delayMs: number) => {
    await pause(delayMs);
    upcoming = undefined;
    return scan();
  };

  return {
    snapshot() {
      if (upcoming) return upcoming;
      const delayMs = nextScanAt - performance.now();
      if (delayMs <= 0) return scan();
      upcoming = scanAfter(delayMs);
      return upcoming;
    },
    snapshotNow: () => attempt(() => toSnapshot(source.scanNow())),
    inspect: (pid) => attempt(() => source.inspect(pid)),
  };
}

/** An empty list means that the system told nothing: at least this process would be on it. */
function toSnapshot(facts: readonly ProcessFact[]): ProcessSnapshot | undefined {
  return facts.length > 0 ? createProcessSnapshot(facts) : undefined;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function systemSource(): ProcessSource {
  if (process.platform === "win32") return { scan: () => [], scanNow: () => [], inspect: () => undefined };
  return process.platform === "linux" ? procSource : psSource;
}

/** A whole scan takes a few milliseconds; asynchronous reads would take ten times as long. */
const procSource: ProcessSource = {
  scan: scanProc,
  scanNow: scanProc,
  inspect: inspectProc,
};

function scanProc(): ProcessFact[] {
  return fileSystem.readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    return attempt(() => inspectProc(Number(entry))) ?? []; // gone since the folder was read
  });
}

function inspectProc(pid: number): ProcessFact | undefined {
  const descriptor = fileSystem.openSync(`/proc/${pid}/stat`, "r");
  try {
    const length = fileSystem.readSync(descriptor, statLine, 0, statLine.length, 0);
    return parseProcStat(statLine.toString("latin1", 0, length));
  } finally {
    fileSystem.closeSync(descriptor);
  }
}

/** Far longer than any such line. `/proc` tells no file size, so reading the file as a whole would take 64 KiB for each process. */
const statLine = Buffer.allocUnsafe(4096);

/** The start time is text: it must not depend on the language or the time zone. */
const PS_OPTIONS = {
  env: { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" },
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
} as const;

/** For systems without `/proc`. */
export const psSource: ProcessSource = {
  async scan() {
    const { promisify } = process.getBuiltinModule("node:util");
    const { stdout } = await promisify(childProcesses.execFile)("ps", ["-A", "-o", PS_COLUMNS], PS_OPTIONS);
    return [...parsePsOutput(stdout)];
  },
  scanNow: () => [...parsePsOutput(runPs(["-A", "-o", PS_COLUMNS]))],
  inspect: (pid) => parsePsOutput(runPs(["-p", String(pid), "-o", PS_COLUMNS]))[0],
};

function runPs(args: readonly string[]): string {
  return childProcesses.spawnSync("ps", args, PS_OPTIONS).stdout ?? "";
}
