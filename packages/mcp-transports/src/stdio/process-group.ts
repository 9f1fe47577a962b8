import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/**
 * Sends a signal to every process of a group. Windows has no groups: there the tree below the process is ended by force,
 * whatever the signal.
 */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(leaderPid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    return;
  }
  try {
    process.kill(-leaderPid, signal);
  } catch {
    // Nobody is left, or the rest belongs to another user: there is nothing more that we could do.
  }
}

/** Whether any process of the group still runs. One that is dead but not yet reaped does not count. */
export function isGroupRunning(leaderPid: number): boolean {
  try {
    process.kill(process.platform === "win32" ? leaderPid : -leaderPid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return process.platform !== "linux" || hasLivingMember(leaderPid);
}

/**
 * In a container whose first process does not reap orphans, the dead members of a group stay for ever and still take
 * signals. Only `/proc` tells them from the living (proc(5): field 3 is the state, field 5 the process group).
 */
function hasLivingMember(groupId: number): boolean {
  try {
    return readdirSync("/proc").some((entry) => /^\d+$/.test(entry) && isLivingMember(entry, groupId));
  } catch {
    return true;
  }
}

function isLivingMember(pid: string, groupId: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(group) === groupId && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}
