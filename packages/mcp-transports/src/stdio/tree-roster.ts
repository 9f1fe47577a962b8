import type { ProcessFact, ProcessIdentity, ProcessSnapshot } from "./process-snapshot.ts";

/** What is known of a tree of processes. */
export interface TreeRoster {
  /** The processes that lived at the last look, parents before their children. */
  readonly members: readonly ProcessIdentity[];
  /**
   * The leader, while its number belongs to this tree. A number can be reused once the leader and its whole group and
   * session are gone.
   */
  readonly leader?: ProcessIdentity | undefined;
}

/** A tree of which only the leader is known yet. It leads its own session. */
export function createTreeRoster(leader: ProcessIdentity): TreeRoster {
  return { leader, members: [leader] };
}

/**
 * The members of the tree at the moment of the snapshot: those known before, all processes in the leader's session, and from
 * there on all children and all processes that share a group or session with a member. A process cannot join a session from
 * outside, so one that shares it with a member descends from the tree as well. The host's own session is left out all the
 * same.
 *
 * A process counts as known only if its start time is the known one. A process that left the session is found as long as the
 * chain of parents holds, and remembered from then on.
 */
export function updateTreeRoster(roster: TreeRoster, snapshot: ProcessSnapshot, hostPid: number): TreeRoster {
  const { leader } = roster;
  const gathered = leader && !isTaken(leader, snapshot) ? snapshot.gatheredUnder(leader.pid) : [];
  const known = roster.members.flatMap(({ pid, start }) => {
    const fact = snapshot.get(pid);
    return fact?.start === start ? fact : [];
  });
  const members = closure([...known, ...gathered], snapshot, hostPid).filter(({ isDead }) => !isDead);
  return {
    leader: gathered.length > 0 ? leader : undefined,
    members: members.map(({ pid, start }) => ({ pid, start })),
  };
}

/** Whether another process has the number now. */
function isTaken({ pid, start }: ProcessIdentity, snapshot: ProcessSnapshot): boolean {
  const fact = snapshot.get(pid);
  return fact !== undefined && fact.start !== start;
}

/** All processes that are reached from the given ones. */
function closure(
  from: readonly ProcessFact[],
  snapshot: ProcessSnapshot,
  hostPid: number,
): readonly ProcessFact[] {
  const host = snapshot.get(hostPid);
  const closed = new Set([host?.groupId, host?.sessionId]);
  const seen = new Set<number>([hostPid]);
  const reached: ProcessFact[] = [];
  const queue = [...from];
  for (let fact = queue.shift(); fact; fact = queue.shift()) {
    if (seen.has(fact.pid)) continue;
    seen.add(fact.pid);
    reached.push(fact);
    queue.push(...snapshot.childrenOf(fact.pid));
    for (const id of [fact.groupId, fact.sessionId]) {
      if (id === undefined || closed.has(id)) continue;
      closed.add(id);
      queue.push(...snapshot.gatheredUnder(id));
    }
  }
  return reached;
}
