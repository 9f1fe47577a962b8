import { describe, expect, test } from "vitest";
import { createProcessSnapshot, type ProcessFact } from "../../src/stdio/process-snapshot.ts";
import { createTreeRoster, type TreeRoster, updateTreeRoster } from "../../src/stdio/tree-roster.ts";

const HOST = 50;
const LEADER = { pid: 100, start: "s100" };

/** A process in its own session and group unless `more` says otherwise; its start time is derived from its pid. */
function process(pid: number, parentPid: number, more: Partial<ProcessFact> = {}): ProcessFact {
  return { pid, parentPid, groupId: pid, sessionId: pid, start: `s${pid}`, isDead: false, ...more };
}

const inSession = (id: number) => ({ groupId: id, sessionId: id });
const host = process(HOST, 1, inSession(HOST));
const leader = process(100, HOST);

const update = (roster: TreeRoster, ...facts: ProcessFact[]) =>
  updateTreeRoster(roster, createProcessSnapshot([host, ...facts]), HOST);
const pidsOf = ({ members }: TreeRoster) => members.map(({ pid }) => pid);

describe("the members of a process tree", () => {
  test("[R03] include the leader, its session and all descendants", () => {
    const roster = update(
      createTreeRoster(LEADER),
      leader,
      process(101, 100, inSession(100)),
      process(102, 1, { groupId: 102, sessionId: 100 }), // its parent is gone, and it has its own group
      process(103, 101), // called setsid
      process(104, 103, { groupId: 104, sessionId: 103 }),
      process(900, 1),
      process(901, HOST, inSession(HOST)),
    );
    expect(new Set(pidsOf(roster))).toEqual(new Set([100, 101, 102, 103, 104]));
    expect(pidsOf(roster).indexOf(101)).toBeLessThan(pidsOf(roster).indexOf(103));
  });

  test("[R03] still include a process that left the session after its parent is gone", () => {
    const before = update(
      createTreeRoster(LEADER),
      leader,
      process(101, 100, inSession(100)),
      process(103, 101),
    );
    const after = update(before, process(103, 1), process(105, 1, { groupId: 105, sessionId: 103 }));
    expect(pidsOf(after)).toEqual([103, 105]);
  });

  test("[R03] include the session of a leader that is gone or a zombie", () => {
    const member = process(101, 1, inSession(100));
    expect(pidsOf(update(createTreeRoster(LEADER), member))).toEqual([101]);
    expect(pidsOf(update(createTreeRoster(LEADER), { ...leader, isDead: true }, member))).toEqual([101]);
  });

  test("include its groups and descendants if sessions are unknown", () => {
    const group = { groupId: 100, sessionId: undefined };
    const roster = update(
      createTreeRoster(LEADER),
      process(100, HOST, group),
      process(101, 1, group),
      process(102, 101, { sessionId: undefined }),
      process(900, 1, { sessionId: undefined }),
    );
    expect(new Set(pidsOf(roster))).toEqual(new Set([100, 101, 102]));
  });
});

describe("a foreign process is never a member", () => {
  test("if it reuses a member's pid with another start time", () => {
    const before = update(createTreeRoster(LEADER), leader, process(103, 100));
    const reused = process(103, 1, { start: "later" });
    expect(pidsOf(update(before, leader, reused, process(104, 103)))).toEqual([100]);
  });

  test("if it reuses the leader's pid, nor are the processes it leads", () => {
    const reused = { ...leader, start: "later" };
    expect(update(createTreeRoster(LEADER), reused, process(101, 100, inSession(100)))).toEqual({
      leader: undefined,
      members: [],
    });
  });

  test("if its group has the leader's pid after the whole tree was seen gone", () => {
    const gone = update(createTreeRoster(LEADER));
    expect(pidsOf(update(gone, process(101, 1, inSession(100))))).toEqual([]);
    expect(pidsOf(update(gone, leader))).toEqual([]);
  });

  test("if it belongs to the host's session, even after a member joined that session", () => {
    const joined = process(101, 100, inSession(HOST));
    const colleague = process(901, HOST, inSession(HOST));
    expect(pidsOf(update(createTreeRoster(LEADER), leader, joined, colleague))).toEqual([100, 101]);
    const inverted = update(createTreeRoster({ pid: HOST, start: `s${HOST}` }), leader);
    expect(pidsOf(inverted)).toEqual([]);
  });
});
