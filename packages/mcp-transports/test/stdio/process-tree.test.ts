import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { silentLogger } from "@jackfield/mcp-core";
import { afterAll, beforeAll, describe, expect, type MockInstance, test, vi } from "vitest";
import { ProcessTree } from "../../src/stdio/process-tree.ts";
import { atEnd } from "../cleanup.ts";
import { expectGone, isRunning, killAtEnd } from "../processes.ts";

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

/** `closeTimeoutMs`: two fifths of it until SIGTERM, as much until SIGKILL. */
function adopt(child: ChildProcess, closeTimeoutMs = 5_000): ProcessTree {
  const { pid = 0, stdin: input } = child;
  const options = { server: "files", input, closeTimeoutMs, log: silentLogger };
  return new ProcessTree(Object.assign(child, { pid }), options);
}

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
    await adopt(child).end({ hurry: true });
    expectGone(pids);
    expect(child.signalCode).toBe("SIGKILL");
  });

  test("[R03] kills a stubborn setsid child of a wrapper that exits at once", async () => {
    const { child, pids } = await startShell(`exec 3<&0; setsid sh -c '${STUBBORN}' & cat <&3 >/dev/null`);
    expect(new Set(pids).size).toBe(2);
    await adopt(child).end();
    expectGone(pids);
    expect(child.exitCode).toBe(0);
  });

  test("[R03] finds a setsid process behind three wrappers, and its own child", async () => {
    const leaf = `setsid sh -c 'trap "" TERM; sleep 600 & echo $$ $!; wait; sleep 600'; true`;
    const wrapped = `require("node:child_process").spawn("sh", ["-c", ${JSON.stringify(leaf)}], { stdio: "inherit" })`;
    const quoted = `'${wrapped.replaceAll("'", "'\\''")}'`;
    const { child, pids } = await startShell(`"${process.execPath}" -e ${quoted}; true`);
    expect(new Set(pids).size).toBe(3);
    await adopt(child).end({ hurry: true });
    expectGone(pids);
  });

  test("[R03] finds descendants of an exited leader by their session", async () => {
    const { child, pids } = await startShell("sleep 600 >/dev/null & echo $!; read -r line; exit 0");
    const tree = adopt(child);
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
    await adopt(child).end({ hurry: true });
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

test("ending the tree of a dead server without descendants signals nobody", async () => {
  const child = startLeader("/bin/sh", ["-c", "read -r line; exit 0"]);
  const tree = adopt(child);
  const ended = once(child, "exit");
  child.stdin?.write("\n");
  await ended;
  await tree.end({ hurry: true });
  expect(signalled([child.pid as number])).toEqual([]);
  expect(process.listenerCount("SIGHUP")).toBe(0);
});

describe("a foreign process gets no signal", () => {
  const fact = (pid: number, start: string, parentPid: number, groupId: number) => ({
    ...{ pid, start, parentPid, groupId, sessionId: groupId },
    isDead: false,
  });

  test("[R06] if it reuses the pid of an exited child, nor does its group", async () => {
    const { child, pids } = await startShell("sleep 600 & echo $!; wait");
    const [leader, other] = pids as [number, number];
    const tree = adopt(child);
    const all = [
      fact(process.pid, "1", 1, 1),
      fact(leader, "later", 1, leader),
      fact(other, "2", leader, leader),
    ];
    expect(tree.seen(all)).toBe(false);
    tree.signal("SIGKILL");
    expect(signalled(pids)).toEqual([]);
    expect(pids.every(isRunning)).toBe(true);
    await tree.end({ hurry: true }); // the numbers are the child's again
    expectGone(pids);
  });
});

test.runIf(process.platform === "linux")(
  "[R03] a child in another session that was seen once is ended with its tree, although its parent has died",
  async () => {
    const { child, pids } = await startShell(`setsid sh -c '${STUBBORN}' & read end`);
    const tree = adopt(child);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      tree.becomeReady();
      await vi.advanceTimersByTimeAsync(1000);
    } finally {
      vi.useRealTimers();
    }
    // The look itself is a turn later.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    process.kill(child.pid as number, "SIGKILL");
    await tree.end({ hurry: true });
    expectGone(pids);
  },
);
