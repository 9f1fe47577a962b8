import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createProcessTable, type ProcessTable } from "../../src/stdio/process-table.ts";
import { endMembers, gracesWithin, killAtOnce } from "../../src/stdio/tree-end.ts";
import { createTreeMembers, type TreeMembers } from "../../src/stdio/tree-members.ts";
import { createTreeRoster } from "../../src/stdio/tree-roster.ts";
import { atEnd } from "../cleanup.ts";
import { expectGone, isRunning } from "../processes.ts";

/**
 * Starts a process in a session of its own for each SIGUSR2, and for each interval if one is given, and writes down its
 * pid. It ignores SIGTERM.
 */
const BREEDER = `
  const [file, intervalMs] = process.argv.slice(1);
  const { spawn } = require("node:child_process");
  const { appendFileSync } = require("node:fs");
  const breed = () => {
    const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
    child.unref();
    appendFileSync(file, child.pid + "\\n");
  };
  process.on("SIGTERM", () => {});
  process.on("SIGUSR2", breed);
  setInterval(Number(intervalMs) > 0 ? breed : () => {}, Number(intervalMs) || 1000);
  breed();
  console.log("ready");`;

interface Breeder {
  readonly pid: number;
  readonly table: ProcessTable;
  readonly members: TreeMembers;
  /** Its pid and those of all processes it has started. */
  family(): number[];
}

async function startBreeder(intervalMs: number): Promise<Breeder> {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-breeder-"));
  const file = join(folder, "children");
  const child = spawn(process.execPath, ["-e", BREEDER, file, String(intervalMs)], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const pid = child.pid as number;
  const family = () => [pid, ...readFileSync(file, "utf8").trim().split("\n").map(Number)];
  atEnd(() => {
    for (const member of family()) if (isRunning(member)) process.kill(member, "SIGKILL");
    rmSync(folder, { recursive: true });
  });
  await once(child.stdout, "data");
  const table = createProcessTable();
  const start = table.inspect(pid)?.start as string;
  return { pid, table, members: createTreeMembers(createTreeRoster({ pid, start }), table), family };
}

/** Whether the process can start others: it is neither stopped nor dead. */
function canBreed(pid: number): boolean {
  try {
    return /\) [RSD]/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** The breeder's table, except that after each scan the breeder starts another process before the result is used. */
function breedingAfterEachScan({ pid, table, family }: Breeder): ProcessTable {
  const ask = () => {
    const before = family().length;
    if (!canBreed(pid)) return () => true;
    process.kill(pid, "SIGUSR2");
    return () => family().length > before || !canBreed(pid);
  };
  return {
    ...table,
    async snapshot() {
      const seen = await table.snapshot();
      const isDone = ask();
      while (!isDone()) await pause(1);
      return seen;
    },
    snapshotNow() {
      const seen = table.snapshotNow();
      const isDone = ask();
      while (!isDone()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      return seen;
    },
  };
}

describe.runIf(process.platform === "linux")("a process that starts others while it is being ended", () => {
  test("[R03] leaves no child behind, even if it starts one after each scan", async () => {
    const breeder = await startBreeder(0);
    expect(await endMembers(breeder.members, breedingAfterEachScan(breeder), gracesWithin(5_000))).toBe(true);
    expect(breeder.family().length).toBeGreaterThan(2);
    expectGone(breeder.family());
  });

  test("[R05] leaves no child behind when the host ends at that moment", async () => {
    const breeder = await startBreeder(0);
    killAtOnce([breeder.members], breedingAfterEachScan(breeder));
    expect(breeder.family().length).toBeGreaterThan(2);
    while (breeder.family().some(isRunning)) await pause(5);
  });

  test("[R03] leaves no child behind, even if it starts one every 5 ms", async () => {
    const breeder = await startBreeder(5);
    expect(await endMembers(breeder.members, breeder.table, { ...gracesWithin(5_000), sigtermMs: 300 })).toBe(
      true,
    );
    expect(breeder.family().length).toBeGreaterThan(3);
    expectGone(breeder.family());
  });
});
