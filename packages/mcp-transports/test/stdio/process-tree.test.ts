import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { silentLogger } from "@jackfield/mcp-core";
import { afterAll, beforeAll, describe, expect, type MockInstance, test, vi } from "vitest";
import { createProcessSnapshot, type ProcessIdentity } from "../../src/stdio/process-snapshot.ts";
import { createProcessTable, type ProcessTable } from "../../src/stdio/process-table.ts";
import type { ProcessTree } from "../../src/stdio/process-tree.ts";
import {
  createProcessTreeRegistry,
  type ProcessTreeRegistryOptions,
} from "../../src/stdio/process-tree-registry.ts";
import { type EndGraces, gracesWithin } from "../../src/stdio/tree-end.ts";
import { createTreeMembers } from "../../src/stdio/tree-members.ts";
import { createTreeRoster } from "../../src/stdio/tree-roster.ts";
import { atEnd } from "../cleanup.ts";
import { expectGone, isRunning, killAtEnd } from "../processes.ts";

const label = { server: "files", command: "sh", log: silentLogger };
let kill: MockInstance<typeof process.kill>;

beforeAll(() => {
  kill = vi.spyOn(process, "kill");
});
afterAll(() => kill.mockRestore());

/** Which of the processes, or of the groups they lead, were sent a signal. */
function signalled(pids: readonly number[]): readonly number[] {
  const asked = new Set(kill.mock.calls.filter(([, signal]) => signal !== 0).map(([pid]) => Math.abs(pid)));
  return pids.filter((pid) => asked.has(pid));
}

/** Starts a program as the leader of its own group, which a failed test must not leave behind. */
function startLeader(command: string, args: readonly string[]) {
  const child = spawn(command, args, { detached: true, stdio: ["pipe", "pipe", "ignore"] });
  const { pid = 0 } = child;
  atEnd(() => pid > 1 && isRunning(pid) && process.kill(-pid, "SIGKILL"));
  return child;
}

/** Starts a shell line as a leader, and waits for the process ids it prints. */
async function startShell(line: string): Promise<{ child: ChildProcess; pids: number[] }> {
  const child = startLeader("/bin/sh", ["-c", line]);
  const [output] = await once(child.stdout, "data");
  const printed = String(output).trim().split(/\s+/).map(Number);
  killAtEnd(...printed);
  return { child, pids: [child.pid as number, ...printed] };
}

const GRACES = gracesWithin(5_000);

function adopt(
  child: ChildProcess,
  { graces = GRACES, ...options }: ProcessTreeRegistryOptions & { graces?: EndGraces } = {},
): ProcessTree {
  return createProcessTreeRegistry(options).adopt(child, { ...label, graces });
}

/** For processes that do not exit, however long one waits. */
const BRIEFLY = { graces: { ...GRACES, endOfInputMs: 100, sigtermMs: 100 } };

/** Prints its process id and ignores every polite request. */
const STUBBORN = 'trap "" TERM HUP; echo $$; while :; do sleep 600; done';

describe.concurrent("ending a process tree", () => {
  test("[R01] sends no signal to a process that exits at the end of its input", async () => {
    const { child, pids } = await startShell("echo $$; cat >/dev/null");
    await adopt(child).end();
    expectGone(pids);
    expect(child).toMatchObject({ exitCode: 0, signalCode: null });
    expect(signalled(pids)).toEqual([]);
  });

  test("[R03] leaves no descendant of a wrapper behind", async () => {
    const { child, pids } = await startShell("sleep 600 & echo $!; wait");
    await adopt(child).end();
    expectGone(pids);
  });

  test("[R02] [X20] kills a process that ignores the end of its input and SIGTERM", async () => {
    const { child, pids } = await startShell(
      "trap '' TERM; (trap '' TERM; sleep 600) & echo $!; wait; sleep 600",
    );
    await adopt(child, BRIEFLY).end();
    expectGone(pids);
    expect(child.signalCode).toBe("SIGKILL");
  });

  test("[R03] kills a stubborn setsid child of a wrapper that exits at once", async () => {
    const { child, pids } = await startShell(`exec 3<&0; setsid sh -c '${STUBBORN}' & cat <&3 >/dev/null`);
    expect(new Set(pids).size).toBe(2);
    await adopt(child, { graces: { ...GRACES, sigtermMs: 100 } }).end();
    expectGone(pids);
    expect(child.exitCode).toBe(0);
  });

  test("[R03] finds a setsid process behind three wrappers, and its own child", async () => {
    const leaf = `setsid sh -c 'trap "" TERM; sleep 600 & echo $$ $!; wait; sleep 600'; true`;
    const wrapped = `require("node:child_process").spawn("sh", ["-c", ${JSON.stringify(leaf)}], { stdio: "inherit" })`;
    const quoted = `'${wrapped.replaceAll("'", "'\\''")}'`;
    const { child, pids } = await startShell(`"${process.execPath}" -e ${quoted}; true`);
    expect(new Set(pids).size).toBe(3);
    await adopt(child, BRIEFLY).end();
    expectGone(pids);
  });

  test("[R03] finds descendants of an exited leader by their session", async () => {
    const { child, pids } = await startShell("sleep 600 >/dev/null & echo $!; read -r line; exit 0");
    const tree = adopt(child, BRIEFLY);
    const ended = once(child, "exit");
    child.stdin?.write("\n");
    await ended;
    expect(pids.slice(1).every(isRunning)).toBe(true);
    await tree.end();
    expectGone(pids.slice(1));
  });

  test("[R03] ends a process stopped by SIGSTOP", async () => {
    const { child, pids } = await startShell("echo $$; while :; do sleep 600; done");
    child.kill("SIGSTOP");
    await adopt(child, BRIEFLY).end();
    expectGone(pids);
  });

  test("kills the leader's whole group if the process table is empty", async () => {
    const blind = createProcessTable({ scan: () => [], scanNow: () => [], inspect: () => undefined });
    const { child, pids } = await startShell(
      "trap '' TERM; (trap '' TERM; sleep 600) & echo $!; wait; sleep 600",
    );
    await adopt(child, { ...BRIEFLY, table: blind }).end({ hurry: true });
    expectGone(pids);
  });
});

test("ending a tree again, even in a hurry, returns the same promise", async () => {
  const { child, pids } = await startShell("sleep 600 & echo $!; wait");
  const tree = adopt(child);
  expect(process.listenerCount("SIGHUP")).toBe(1);
  const first = tree.end();
  expect(tree.end()).toBe(first);
  expect(tree.end({ hurry: true })).toBe(first);
  await first;
  expect(process.listenerCount("SIGHUP")).toBe(0);
  expectGone(pids);
});

test("ending the tree of a dead server without descendants takes one scan", async () => {
  const table = createProcessTable();
  const snapshot = vi.fn(table.snapshot);
  const child = startLeader("/bin/sh", ["-c", "read -r line; exit 0"]);
  const tree = adopt(child, { table: { ...table, snapshot } });
  const ended = once(child, "exit");
  child.stdin?.write("\n");
  await ended;
  await tree.end({ hurry: true });
  expect(snapshot).toHaveBeenCalledTimes(1);
  expect(process.listenerCount("SIGHUP")).toBe(0);
});

describe.concurrent("a foreign process gets no signal", () => {
  /** A table that reports a wrong start time for one process, the given number of times. */
  function mistaken(mistakenPid: number, times: number): ProcessTable {
    const table = createProcessTable();
    let left = times;
    return {
      ...table,
      inspect(pid) {
        const fact = table.inspect(pid);
        if (!fact || pid !== mistakenPid || left === 0) return fact;
        left -= 1;
        return { ...fact, start: `${fact.start}0` };
      },
    };
  }

  test("[R06] if it reuses the pid of an exited child, nor does its group", async () => {
    const { child, pids } = await startShell("sleep 600 & echo $!; wait");
    // The child is reported as gone, and its pid as reused since.
    const gone = Object.assign(Object.create(child), { exitCode: 0, stdin: null });
    await adopt(gone, { ...BRIEFLY, table: mistaken(child.pid as number, 1) }).end();
    expect(signalled(pids)).toEqual([]);
    expect(pids.every(isRunning)).toBe(true);
    await adopt(child).end({ hurry: true });
  });

  test("[R06] if it takes over a pid between the scan and the signal", async () => {
    const { child, pids } = await startShell("sleep 600 & echo $!; wait");
    const other = pids[1] as number;
    const table = mistaken(other, Number.POSITIVE_INFINITY);
    await adopt(child, { table, graces: { endOfInputMs: 100, sigtermMs: 100, sigkillMs: 100 } }).end({
      hurry: true,
    });
    expect(signalled(pids)).toEqual([child.pid]);
    expect(isRunning(other)).toBe(true);
  });

  test("[R06] after a scan has seen the whole tree gone", async () => {
    const { child, pids } = await startShell("sleep 600 & echo $!; wait");
    const table = createProcessTable();
    const members = createTreeMembers(
      createTreeRoster(table.inspect(pids[0] as number) as ProcessIdentity),
      table,
    );
    expect(members.look(createProcessSnapshot([]))).toBe(false);
    expect(members.look(await table.snapshot())).toBe(false);
    members.signal("SIGTERM");
    members.kill();
    expect(signalled(pids)).toEqual([]);
    await adopt(child).end({ hurry: true });
  });
});
