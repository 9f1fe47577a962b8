import { spawn } from "node:child_process";
import { silentLogger } from "@jackfield/mcp-core";
import { expect, test, vi } from "vitest";
import { createProcessTable, type ProcessTable } from "../../src/stdio/process-table.ts";
import { createProcessTreeRegistry } from "../../src/stdio/process-tree-registry.ts";
import { atEnd } from "../cleanup.ts";

/** A registry that has one child, a clock to be moved by hand, and how often it has looked around. */
function watch() {
  const child = spawn("cat", { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  const table = createProcessTable();
  let looks = 0;
  /** It scans no more often than the real clock allows, so nothing is scanned while that stands still. */
  const counting: ProcessTable = {
    ...table,
    snapshot() {
      looks += 1;
      return vi.isFakeTimers() ? Promise.resolve(undefined) : table.snapshot();
    },
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const registry = createProcessTreeRegistry({ table: counting });
  const tree = registry.adopt(child, { server: "files", command: "cat", log: silentLogger });
  atEnd(() => {
    vi.useRealTimers();
    return tree.end();
  });
  return { tree, looks: () => looks };
}

test("who belongs to a tree is looked at a second after its start, and ever more rarely", async () => {
  const { looks } = watch();
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
    expect(looks()).toBe(expected);
  }
});

test("[R03] a server that was slow to start is looked at a second after its first answer", async () => {
  const { tree, looks } = watch();
  await vi.advanceTimersByTimeAsync(7000);
  expect(looks()).toBe(3);
  tree.becomeReady(); // the next look would be in eight seconds
  await vi.advanceTimersByTimeAsync(999);
  expect(looks()).toBe(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(looks()).toBe(4);
});

test("an answer within the first second does not put the look off", async () => {
  const { tree, looks } = watch();
  await vi.advanceTimersByTimeAsync(900);
  tree.becomeReady();
  await vi.advanceTimersByTimeAsync(100);
  expect(looks()).toBe(1);
});

test("servers that are started together are written down together, and at once when the last has ended", async () => {
  const save = vi.fn();
  const registry = createProcessTreeRegistry({ recorder: { save } });
  const trees = ["one", "two", "three"].map((server) => {
    const child = spawn("cat", { detached: true, stdio: ["pipe", "ignore", "ignore"] });
    return registry.adopt(child, { server, command: "cat", log: silentLogger });
  });
  await new Promise(setImmediate);
  expect(
    save.mock.calls.map(([recorded]) => recorded.map(({ server }: { server: string }) => server)),
  ).toEqual([["one", "two", "three"]]);
  await Promise.all(trees.map((tree) => tree.end()));
  expect(save).toHaveBeenLastCalledWith([]);
});
