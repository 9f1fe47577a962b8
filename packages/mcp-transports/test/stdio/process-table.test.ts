import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { createProcessTable, type ProcessSource, psSource } from "../../src/stdio/process-table.ts";
import { atEnd } from "../cleanup.ts";

function countingSource(): ProcessSource & { scan: ReturnType<typeof vi.fn> } {
  const source = createSource();
  return { ...source, scan: vi.fn(source.scan) };
}

function createSource(): ProcessSource {
  const fact = { pid: 5, parentPid: 1, groupId: 5, sessionId: 5, start: "1", isDead: false };
  return { scan: () => [fact], scanNow: () => [fact], inspect: () => fact };
}

test("fifty simultaneous snapshot requests cost two scans", async () => {
  // Fake timers, so that fifty requests never take longer than the pause between two scans.
  vi.useFakeTimers();
  try {
    const source = countingSource();
    const table = createProcessTable(source);
    const asked = Array.from({ length: 50 }, () => table.snapshot());
    await vi.advanceTimersByTimeAsync(100);
    const snapshots = await Promise.all(asked);
    expect(source.scan).toHaveBeenCalledTimes(2);
    expect(new Set(snapshots).size).toBe(2);
    await table.snapshot();
    expect(source.scan).toHaveBeenCalledTimes(3);
  } finally {
    vi.useRealTimers();
  }
});

test("a process source that is empty or throws yields undefined", async () => {
  const silent = { scan: () => [], scanNow: () => [], inspect: () => undefined };
  const fail = () => {
    throw new Error("no such program");
  };
  for (const source of [silent, { scan: fail, scanNow: fail, inspect: fail }]) {
    const table = createProcessTable(source);
    expect(await table.snapshot()).toBeUndefined();
    expect(table.snapshotNow()).toBeUndefined();
    expect(table.inspect(process.pid)).toBeUndefined();
  }
});

describe.each([
  ["this system", undefined],
  ["ps", psSource],
])("with %s", (_, source) => {
  const table = createProcessTable(source);

  test("finds a child with its group and its start time", async () => {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    atEnd(() => child.kill("SIGKILL") && once(child, "exit"));
    const pid = child.pid as number;
    const inspected = table.inspect(pid);
    expect(inspected).toMatchObject({ pid, parentPid: process.pid, isDead: false });
    const snapshot = await table.snapshot();
    expect(snapshot?.get(pid)).toMatchObject({ groupId: pid, start: inspected?.start });
    expect(
      table
        .snapshotNow()
        ?.childrenOf(process.pid)
        .map((fact) => fact.pid),
    ).toContain(pid);
  });

  test("finds no process for an unused pid", async () => {
    expect(table.inspect(2 ** 30)).toBeUndefined();
    expect((await table.snapshot())?.get(2 ** 30)).toBeUndefined();
  });
});
