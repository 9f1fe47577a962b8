import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { createProcessTree } from "../../src/stdio/process-tree.ts";
import { connect } from "../connecting.ts";
import { expectGone, isRunning } from "../processes.ts";
import { scriptedServer } from "../scripted-server.ts";

const registry = () => ({ add: vi.fn(), remove: vi.fn() });
const children: ChildProcess[] = [];

afterEach(() => {
  for (const { pid } of children.splice(0))
    if (pid !== undefined && isRunning(pid)) process.kill(-pid, "SIGKILL");
});

/** Starts a shell line as the leader of its own group, and waits for the process ids it prints. */
async function startShell(line: string): Promise<{ child: ChildProcess; pids: number[] }> {
  const child = spawn("/bin/sh", ["-c", line], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
  children.push(child);
  const [output] = await once(child.stdout, "data");
  return { child, pids: [child.pid as number, ...String(output).trim().split(" ").map(Number)] };
}

test("a process that ends with its input is not sent a signal", async () => {
  const { child, pids } = await startShell("echo $$; cat >/dev/null");
  await createProcessTree(child, registry()).end();
  expectGone(pids);
  expect(child).toMatchObject({ exitCode: 0, signalCode: null });
});

test("a wrapper leaves no descendant behind", async () => {
  const { child, pids } = await startShell("sleep 600 & echo $!; wait");
  await createProcessTree(child, registry()).end();
  expectGone(pids);
});

test("[X20] what ignores the end of its input and SIGTERM is stopped", async () => {
  const { child, pids } = await startShell(
    "trap '' TERM; (trap '' TERM; sleep 600) & echo $!; wait; sleep 600",
  );
  await createProcessTree(child, registry()).end();
  expectGone(pids);
  expect(child.signalCode).toBe("SIGKILL");
});

test("descendants whose leader has ended already are found by their group", async () => {
  const { child, pids } = await startShell("sleep 600 >/dev/null & echo $!; exit 0");
  if (child.exitCode === null) await once(child, "exit");
  expect(pids.slice(1).every(isRunning)).toBe(true);
  await createProcessTree(child, registry()).end();
  expectGone(pids.slice(1));
});

test("ending it twice, and in a hurry meanwhile, is one end", async () => {
  const { child, pids } = await startShell("sleep 600 & echo $!; wait");
  const known = registry();
  const tree = createProcessTree(child, known);
  expect(known.add).toHaveBeenCalledExactlyOnceWith(tree);
  const first = tree.end();
  expect(tree.end()).toBe(first);
  expect(tree.end({ hurry: true })).toBe(first);
  await first;
  expect(known.remove).toHaveBeenCalledExactlyOnceWith(tree);
  expectGone(pids);
});

test("what is gone is not signalled again: its number may be somebody else's", async () => {
  const { child } = await startShell("echo 1; cat >/dev/null");
  const tree = createProcessTree(child, registry());
  await tree.end();
  const kill = vi.spyOn(process, "kill");
  tree.killNow();
  expect(kill).not.toHaveBeenCalled();
  kill.mockRestore();
});

test("a session with a server behind a wrapper leaves nothing behind when it is closed", async () => {
  const server = scriptedServer();
  const [node, ...args] = [server.command, ...server.args];
  const quoted = args.map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(" ");
  // A shell gives a background command no input of its own, so it is handed on.
  const line = `exec 3<&0; "${node}" ${quoted} <&3 & wait`;
  const session = await connect({ ...server, command: "/bin/sh", args: ["-c", line] });
  expect((await session.list("tools", { signal: new AbortController().signal })).items).toHaveLength(1);
  expect(server.starts().every(isRunning)).toBe(true);
  await session.close();
  expectGone(server.starts());
});
