import { describe, expect, test } from "vitest";
import { createProcessSnapshot, parseProcStat, parsePsOutput } from "../../src/stdio/process-snapshot.ts";

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

test("a snapshot finds processes by pid, parent, group and session", () => {
  const fact = (pid: number, parentPid: number, groupId: number, sessionId?: number) => ({
    ...{ pid, parentPid, groupId, sessionId },
    start: "1",
    isDead: false,
  });
  const a = fact(10, 1, 10, 10);
  const b = fact(11, 10, 11, 10);
  const c = fact(12, 10, 12);
  const snapshot = createProcessSnapshot([a, b, c]);
  expect(snapshot.get(11)).toBe(b);
  expect(snapshot.get(99)).toBeUndefined();
  expect(snapshot.childrenOf(10)).toEqual([b, c]);
  expect(new Set(snapshot.gatheredUnder(10))).toEqual(new Set([a, b]));
  expect(snapshot.gatheredUnder(12)).toEqual([c]);
  expect(snapshot.gatheredUnder(99)).toEqual([]);
});
