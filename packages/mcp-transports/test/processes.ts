import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { atEnd } from "./cleanup.ts";

/** Whether a process runs; one that is dead but not reaped does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}

/** Resolves when none of the processes runs. A process that is not ours sends no event when it ends, so this asks. */
export async function gone(...pids: number[]): Promise<void> {
  while (pids.some(isRunning)) await pause(10);
}

/** Fails if any of the processes runs now. */
export function expectGone(pids: readonly number[]): void {
  expect(pids.length).toBeGreaterThan(0);
  expect(pids.filter(isRunning)).toEqual([]);
}

/** Processes that a failed test must not leave behind. */
export function killAtEnd(...pids: number[]): void {
  atEnd(() => {
    for (const pid of pids) if (pid > 1 && isRunning(pid)) process.kill(pid, "SIGKILL");
  });
}
