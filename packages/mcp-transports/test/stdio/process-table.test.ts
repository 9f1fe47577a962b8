import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import {
  allProcesses,
  parseProcStat,
  parsePsOutput,
  processesNow,
  processesOf,
  psFacts,
} from "../../src/stdio/process-table.ts";
import { atEnd } from "../cleanup.ts";

test("all calls of one turn share a scan", async () => {
  const [one, other] = await Promise.all([allProcesses(), allProcesses()]);
  expect(other).toBe(one);
  expect(await allProcesses()).not.toBe(one);
});

describe.each([
  ["this system", allProcesses, processesOf],
  ["ps", psFacts, psFacts],
])("with %s", (_, all, some) => {
  test("finds a child with its group and its start time, among all processes and alone", async () => {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    atEnd(() => child.kill("SIGKILL") && once(child, "exit"));
    const pid = child.pid as number;
    const [alone] = await some([pid]);
    expect(alone).toMatchObject({ pid, parentPid: process.pid, groupId: pid, isDead: false });
    const found = (await all()).find((fact) => fact.pid === pid);
    expect(found).toMatchObject({ groupId: pid, start: alone?.start });
  });

  test("finds no process for an unused pid", async () => {
    expect(await some([2 ** 22 + 1])).toEqual([]);
    expect((await all()).some(({ pid }) => pid === 2 ** 22 + 1)).toBe(false);
  });
});

test("finds the same without waiting", () => {
  expect(processesNow([process.pid])).toMatchObject([{ pid: process.pid }]);
  expect(processesNow().some(({ pid }) => pid === process.pid)).toBe(true);
});

describe("parseProcStat", () => {
  const fields = (state: string) =>
    `${state} 7 42 40 34816 42 4194560 100 0 0 0 0 0 0 0 20 0 1 0 578646 3133440 394 18446744073709551615`;

  test.each([
    ["an ordinary line", `42 (node) ${fields("S")}`, false],
    ["a name with spaces and parentheses", `42 (a) Z (b c) ${fields("R")}`, false],
    ["a zombie process", `42 (node) ${fields("Z")}`, true],
    ["a dead process", `42 (node) ${fields("X")}`, true],
    ["a stopped process", `42 (node) ${fields("T")}`, false],
  ])("reads %s", (_, line, isDead) => {
    expect(parseProcStat(`${line}\n`)).toEqual({
      pid: 42,
      start: "578646",
      parentPid: 7,
      groupId: 42,
      sessionId: 40,
      isDead,
    });
  });

  test.each(["", "42", "42 (node) S 7 42", "nonsense (x) S 1 1 1"])("returns undefined for %j", (line) => {
    expect(parseProcStat(line)).toBeUndefined();
  });
});

describe("parsePsOutput", () => {
  test("reads the output of ps on macOS and skips other lines", () => {
    const output = [
      "    1     0     1 Ss   Thu Nov 20 08:00:01 2026    ",
      "  501     1   500 S+   Fri Nov  1 11:38:12 2026",
      "12345   501   500 Z    Fri Nov 21 11:38:13 2026",
      "ps: something went wrong",
      "",
    ].join("\n");
    expect(parsePsOutput(output)).toEqual([
      { pid: 1, parentPid: 0, groupId: 1, start: "Thu Nov 20 08:00:01 2026", isDead: false },
      { pid: 501, parentPid: 1, groupId: 500, start: "Fri Nov  1 11:38:12 2026", isDead: false },
      { pid: 12345, parentPid: 501, groupId: 500, start: "Fri Nov 21 11:38:13 2026", isDead: true },
    ]);
  });
});
