import { childProcesses } from "../builtin-modules.ts";

/**
 * Sends a signal to every process of a group. Windows has no groups: there the tree below the process is ended by force,
 * whatever the signal.
 */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
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
