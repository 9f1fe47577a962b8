// Finds the processes that a server has started, wherever they have gone, by a variable in their environment.
import { existsSync, readdirSync, readFileSync } from "node:fs";

export const MARK = "JACKFIELD_INTEROP";

/** The command lines of the processes that bear the mark; `undefined` where the system does not tell. */
export function markedProcesses(mark) {
  if (!existsSync("/proc/self/environ")) return undefined;
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => textOf(`/proc/${pid}/environ`).split("\0").includes(`${MARK}=${mark}`))
    .filter((pid) => !isZombie(pid))
    .map((pid) => `${pid}: ${textOf(`/proc/${pid}/cmdline`).split("\0").join(" ").trim()}`);
}

function isZombie(pid) {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
}

/** A process may be gone by the time it is looked at. */
function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
