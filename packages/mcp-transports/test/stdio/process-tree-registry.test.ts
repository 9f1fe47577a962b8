import { spawn } from "node:child_process";
import { once } from "node:events";
import { silentLogger } from "@jackfield/mcp-core";
import { expect, test, vi } from "vitest";
import { createProcessTable, type ProcessTable } from "../../src/stdio/process-table.ts";
import { createProcessTreeRegistry } from "../../src/stdio/process-tree-registry.ts";
import { gracesWithin } from "../../src/stdio/tree-end.ts";
import { atEnd } from "../cleanup.ts";
import { expectGone, killAtEnd } from "../processes.ts";

/** The tree of a child in a registry with a fake clock, and the number of scans so far. */
function adoptChild() {
  const child = spawn("cat", { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  const table = createProcessTable();
  let scans = 0;
  /** A real scan waits for the clock, so nothing is scanned while the clock is fake. */
  const counting: ProcessTable = {
    ...table,
    snapshot() {
      scans += 1;
      return vi.isFakeTimers() ? Promise.resolve(undefined) : table.snapshot();
    },
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const registry = createProcessTreeRegistry({ table: counting });
  const tree = registry.adopt(child, {
    server: "files",
    graces: gracesWithin(5_000),
    log: silentLogger,
  });
  atEnd(() => {
    vi.useRealTimers();
    return tree.end();
  });
  return { tree, scans: () => scans };
}

test("scans for tree members a second after the start, then ever more rarely", async () => {
  const { scans } = adoptChild();
  for (const [afterMs, expected] of [
    [999, 0],
    [1, 1],
    [1999, 1],
    [1, 2],
    [3999, 2],
    [1, 3],
    [10 * 60_000, 15], // after 8, 16 and 32 seconds, then once a minute
  ] as const) {
    await vi.advanceTimersByTimeAsync(afterMs);
    expect(scans()).toBe(expected);
  }
});

test("[R03] scans a slow server's tree a second after its first answer", async () => {
  const { tree, scans } = adoptChild();
  await vi.advanceTimersByTimeAsync(7000);
  expect(scans()).toBe(3);
  tree.becomeReady(); // the next scan would be in eight seconds
  await vi.advanceTimersByTimeAsync(999);
  expect(scans()).toBe(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(scans()).toBe(4);
});

test("an answer within the first second does not delay the scan", async () => {
  const { tree, scans } = adoptChild();
  await vi.advanceTimersByTimeAsync(900);
  tree.becomeReady();
  await vi.advanceTimersByTimeAsync(100);
  expect(scans()).toBe(1);
});

test.runIf(process.platform === "linux")(
  "[R03] a child in another session that was seen once is ended with its tree, although its parent has died",
  async () => {
    const line = `setsid sh -c 'trap "" TERM; echo $$; while :; do sleep 600; done' & read end`;
    const child = spawn("/bin/sh", ["-c", line], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
    const [printed] = await once(child.stdout, "data");
    const pid = Number(String(printed));
    killAtEnd(pid);
    const table = createProcessTable();
    const scanned = Promise.withResolvers<void>();
    const watched: ProcessTable = {
      ...table,
      async snapshot() {
        const snapshot = await table.snapshot();
        setImmediate(scanned.resolve);
        return snapshot;
      },
    };
    const registry = createProcessTreeRegistry({ table: watched });
    const graces = { endOfInputMs: 100, sigtermMs: 100, sigkillMs: 60_000 };
    const tree = registry.adopt(child, { server: "files", graces, log: silentLogger });
    await scanned.promise;
    process.kill(child.pid as number, "SIGKILL");
    await tree.end();
    expectGone([pid]);
  },
);
