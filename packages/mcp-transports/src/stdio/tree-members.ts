import { childProcesses } from "../builtin-modules.ts";
import type { ProcessIdentity, ProcessSnapshot } from "./process-snapshot.ts";
import type { ProcessTable } from "./process-table.ts";
import { type TreeRoster, updateTreeRoster } from "./tree-roster.ts";

/** The living processes of one tree. Signals are sent only through this object. */
export interface TreeMembers {
  /** Updates the members from the snapshot. False once none is left. */
  look(snapshot: ProcessSnapshot | undefined): boolean;
  signal(signal: NodeJS.Signals): void;
  /**
   * Sends SIGSTOP to all members that are not stopped yet, so that none starts another process while being ended. True if
   * there were any: they may have started one just before, so look again.
   */
  freeze(snapshot: ProcessSnapshot | undefined): boolean;
  /** Kills all members, children first: the system would wake up a stopped process whose parent ends (setpgid(2)). */
  kill(): void;
}

/**
 * Members that are known one by one. Before a signal is sent to one, its start time is checked, so that a foreign process with
 * a reused number is never signalled.
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
      ? updateTreeRoster(current, snapshot, process.pid)
      : { ...current, members: current.members.filter(isAlive) };
    return current.members.length > 0;
  };
  const send = (members: readonly ProcessIdentity[], signal: NodeJS.Signals) => {
    for (const member of members) if (isAlive(member)) sendSignal(member.pid, signal);
  };

  return {
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

/** For systems that do not list their processes: the leader's group as a whole. */
export function createGroupMembers(leaderPid: number): TreeMembers {
  let isGone = false;
  // A group that was once found empty is never signalled again: its number may have been reused by now.
  const signal = (name: NodeJS.Signals) => {
    if (!isGone) signalGroup(leaderPid, name);
  };
  return {
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
    // It has ended just now, or belongs to another user: nothing more can be done.
  }
}

/**
 * Sends a signal to every process of a group. Windows has no groups: there the tree below the process is ended by force,
 * whatever the signal.
 */
function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    childProcesses.spawnSync("taskkill", ["/pid", String(leaderPid), "/T", "/F"], {
      stdio: "ignore",
      windowsHide: true,
    });
    return;
  }
  try {
    process.kill(-leaderPid, signal);
  } catch {
    // No process is left, or the rest belongs to another user: nothing more can be done.
  }
}

/** Whether any process of the group still runs, or is dead and not yet reaped. */
export function isGroupRunning(leaderPid: number): boolean {
  try {
    process.kill(process.platform === "win32" ? leaderPid : -leaderPid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
