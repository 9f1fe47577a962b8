import { describe, expect, test } from "vitest";
import { createProcessSnapshot, type ProcessFact } from "../../src/stdio/process-snapshot.ts";
import {
  createTreeRoster,
  recallTreeRoster,
  type TreeRoster,
  updateTreeRoster,
} from "../../src/stdio/tree-roster.ts";

const HOST = 50;
const LEADER = { pid: 100, start: "s100" };

/** A process of its own session and group unless told otherwise; its start time is made of its number. */
function process(pid: number, parentPid: number, more: Partial<ProcessFact> = {}): ProcessFact {
  return { pid, parentPid, groupId: pid, sessionId: pid, start: `s${pid}`, isDead: false, ...more };
}

const inSession = (id: number) => ({ groupId: id, sessionId: id });
const host = process(HOST, 1, inSession(HOST));
const leader = process(100, HOST);

const look = (roster: TreeRoster, ...facts: ProcessFact[]) =>
  updateTreeRoster(roster, createProcessSnapshot([host, ...facts]), HOST);
const pidsOf = ({ members }: TreeRoster) => members.map(({ pid }) => pid);

describe("a tree has as members", () => {
  test("[R03] its leader, the leader's session, and all descendants", () => {
    const roster = look(
      createTreeRoster(LEADER),
      leader,
      process(101, 100, inSession(100)),
      process(102, 1, { groupId: 102, sessionId: 100 }), // its parent is gone, its group its own
      process(103, 101), // called setsid
      process(104, 103, { groupId: 104, sessionId: 103 }),
      process(900, 1),
      process(901, HOST, inSession(HOST)),
    );
    expect(new Set(pidsOf(roster))).toEqual(new Set([100, 101, 102, 103, 104]));
    expect(pidsOf(roster).indexOf(101)).toBeLessThan(pidsOf(roster).indexOf(103));
  });

  test("[R03] who left the session while the chain of parents held, also once it is broken", () => {
    const before = look(
      createTreeRoster(LEADER),
      leader,
      process(101, 100, inSession(100)),
      process(103, 101),
    );
    const after = look(before, process(103, 1), process(105, 1, { groupId: 105, sessionId: 103 }));
    expect(pidsOf(after)).toEqual([103, 105]);
  });

  test("[R03] the session of a leader that is gone, or dead and not reaped", () => {
    const member = process(101, 1, inSession(100));
    expect(pidsOf(look(createTreeRoster(LEADER), member))).toEqual([101]);
    expect(pidsOf(look(createTreeRoster(LEADER), { ...leader, isDead: true }, member))).toEqual([101]);
  });

  test("where sessions are not told, its groups and descendants", () => {
    const group = { groupId: 100, sessionId: undefined };
    const roster = look(
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
  test("if it has the number of one, but another start", () => {
    const before = look(createTreeRoster(LEADER), leader, process(103, 100));
    const reused = process(103, 1, { start: "later" });
    expect(pidsOf(look(before, leader, reused, process(104, 103)))).toEqual([100]);
  });

  test("if the leader's number has been given to another, whoever that one leads", () => {
    const reused = { ...leader, start: "later" };
    expect(look(createTreeRoster(LEADER), reused, process(101, 100, inSession(100)))).toEqual({
      leader: undefined,
      members: [],
    });
  });

  test("if its group has the leader's number, and everybody in the tree's was seen gone before", () => {
    const gone = look(createTreeRoster(LEADER));
    expect(pidsOf(look(gone, process(101, 1, inSession(100))))).toEqual([]);
    expect(pidsOf(look(gone, leader))).toEqual([]);
  });

  test("if a record names the tree's leader, and only the group still has its number", () => {
    expect(pidsOf(look(recallTreeRoster([LEADER]), process(101, 1, inSession(100))))).toEqual([]);
    expect(pidsOf(look(recallTreeRoster([LEADER]), leader, process(101, 1, inSession(100))))).toEqual([
      100, 101,
    ]);
  });

  test("if it is the host or one of the host's session, even where a member has joined that", () => {
    const joined = process(101, 100, inSession(HOST));
    const colleague = process(901, HOST, inSession(HOST));
    expect(pidsOf(look(createTreeRoster(LEADER), leader, joined, colleague))).toEqual([100, 101]);
    const inverted = look(createTreeRoster({ pid: HOST, start: `s${HOST}` }), leader);
    expect(pidsOf(inverted)).toEqual([]);
  });
});
