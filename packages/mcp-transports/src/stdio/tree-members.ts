import { isGroupRunning, signalGroup } from "./process-group.ts";
import type { ProcessIdentity, ProcessSnapshot } from "./process-snapshot.ts";
import type { ProcessTable } from "./process-table.ts";
import { type TreeRoster, updateRoster } from "./tree-roster.ts";

/** The living processes of one tree, and the only hand that signals them. */
export interface TreeMembers {
  /** Everybody known to live. */
  current(): readonly ProcessIdentity[];
  /** Learns who belongs to the tree now. False once nobody is left. */
  look(snapshot: ProcessSnapshot | undefined): boolean;
  signal(signal: NodeJS.Signals): void;
  /**
   * Stops everybody who has not been stopped yet, so that nobody starts another process while being ended. True if there was
   * somebody: they may have started one just before, so look again.
   */
  freeze(snapshot: ProcessSnapshot | undefined): boolean;
  /** Ends everybody, children first: whose parent ends while they are stopped would be woken up by the system (setpgid(2)). */
  kill(): void;
}

/**
 * Members who are known one by one. Before a signal is sent to one, it is made sure that its number still belongs to it: a
 * process of somebody else is never signalled.
 */
export function createTreeMembers(roster: TreeRoster, table: ProcessTable): TreeMembers {
  const frozen = new Set<string>();
  let current = roster;

  const isAlive = ({ pid, start }: ProcessIdentity) => {
    const fact = table.inspect(pid);
    return fact?.start === start && !fact.isDead;
  };
  const look = (snapshot: ProcessSnapshot | undefined) => {
    current = snapshot
      ? updateRoster(current, snapshot, process.pid)
      : { ...current, members: current.members.filter(isAlive) };
    return current.members.length > 0;
  };
  const send = (members: readonly ProcessIdentity[], signal: NodeJS.Signals) => {
    for (const member of members) if (isAlive(member)) sendSignal(member.pid, signal);
  };

  return {
    current: () => current.members,
    look,
    signal: (signal) => send(current.members, signal),
    freeze(snapshot) {
      look(snapshot);
      const fresh = current.members.filter((member) => !frozen.has(keyOf(member)));
      send(fresh, "SIGSTOP");
      for (const member of fresh) frozen.add(keyOf(member));
      return fresh.length > 0;
    },
    kill: () => send(current.members.toReversed(), "SIGKILL"),
  };
}

/** Where the system does not tell who is who: the leader's group as a whole. */
export function createGroupMembers(leaderPid: number): TreeMembers {
  let isGone = false;
  // A group that was once found empty is never signalled again: its number may belong to somebody else by now.
  const signal = (name: NodeJS.Signals) => {
    if (!isGone) signalGroup(leaderPid, name);
  };
  return {
    current: () => [],
    look() {
      isGone ||= !isGroupRunning(leaderPid);
      return !isGone;
    },
    signal,
    freeze: () => false,
    kill: () => signal("SIGKILL"),
  };
}

function keyOf({ pid, start }: ProcessIdentity): string {
  return `${pid} ${start}`;
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended just now, or belongs to another user: there is nothing more that we could do.
  }
}
