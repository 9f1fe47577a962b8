import { describe, expect, test } from "vitest";
import type { ProcessFact } from "../../src/stdio/process-table.ts";
import { treeOf } from "../../src/stdio/process-tree.ts";

const HOST = 50;

/** A process in its own session and group unless `more` says otherwise; its start time is derived from its pid. */
function process(pid: number, parentPid: number, more: Partial<ProcessFact> = {}): ProcessFact {
  return { pid, parentPid, groupId: pid, sessionId: pid, start: `s${pid}`, isDead: false, ...more };
}

const inSession = (id: number) => ({ groupId: id, sessionId: id });
const host = process(HOST, 1, inSession(HOST));
const leader = process(100, HOST);

const members = (known: readonly ProcessFact[], ...facts: ProcessFact[]) =>
  treeOf([leader, ...known], [host, ...facts], HOST);
const pidsOf = (facts: readonly ProcessFact[]) => facts.map(({ pid }) => pid).sort();

describe("the members of a process tree", () => {
  test("[R03] include the leader, its session and all descendants", () => {
    const found = members(
      [],
      process(104, 103, { groupId: 104, sessionId: 103 }),
      process(103, 101), // called setsid
      leader,
      process(101, 100, inSession(100)),
      process(102, 1, { groupId: 102, sessionId: 100 }), // its parent is gone, and it has its own group
      process(900, 1),
      process(901, HOST, inSession(HOST)),
    );
    expect(pidsOf(found)).toEqual([100, 101, 102, 103, 104]);
  });

  test("[R03] still include a process that left the session after its parent is gone", () => {
    const before = members([], leader, process(101, 100, inSession(100)), process(103, 101));
    const after = members(before, process(103, 1), process(105, 1, { groupId: 105, sessionId: 103 }));
    expect(pidsOf(after)).toEqual([103, 105]);
  });

  test("[R03] include what was left in the session of a member that is gone", () => {
    const before = members([], leader, process(103, 100));
    expect(pidsOf(members(before, leader, process(104, 1, inSession(103))))).toEqual([100, 104]);
  });

  test("[R03] include the session of a leader that is gone or a zombie", () => {
    const member = process(101, 1, inSession(100));
    expect(pidsOf(members([], member))).toEqual([101]);
    expect(pidsOf(members([], { ...leader, isDead: true }, member))).toEqual([101]);
  });

  test("include its groups and descendants if sessions are unknown", () => {
    const group = { groupId: 100, sessionId: undefined };
    const found = members(
      [],
      process(100, HOST, group),
      process(101, 1, group),
      process(102, 101, { sessionId: undefined }),
      process(900, 1, { sessionId: undefined }),
    );
    expect(pidsOf(found)).toEqual([100, 101, 102]);
  });
});

describe("a foreign process is never a member", () => {
  test("if it reuses a member's pid with another start time", () => {
    const before = members([], leader, process(103, 100));
    const reused = process(103, 1, { start: "later" });
    expect(pidsOf(members(before, leader, reused, process(104, 103)))).toEqual([100]);
  });

  test("if it reuses the leader's pid, nor are the processes it leads", () => {
    const reused = { ...leader, start: "later" };
    expect(members([], reused, process(101, 100, inSession(100)))).toEqual([]);
  });

  test("if it belongs to the host's session, even after a member joined that session", () => {
    const joined = process(101, 100, inSession(HOST));
    const colleague = process(901, HOST, inSession(HOST));
    expect(pidsOf(members([], leader, joined, colleague))).toEqual([100, 101]);
    expect(pidsOf(treeOf([host], [host, leader], HOST))).toEqual([]);
  });
});
