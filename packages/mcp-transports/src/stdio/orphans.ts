import { basename } from "node:path";
import { fileSystem } from "@jackfield/mcp-core/node";
import { childProcesses } from "../builtin-modules.ts";

/** A server that still runs although the host that started it is gone. */
export interface Orphan {
  /** The name of its entry. */
  readonly server: string;
  readonly pid: number;
}

interface RunningProcess {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** Its program and its arguments. */
  readonly words: string;
}

/** Programs that take over the processes of a parent that has ended, besides process 1. */
const ADOPTERS = /^(?:systemd|init|tini|dumb-init|docker-init|catatonit)$/;

/**
 * Finds servers whose host was killed before it could end them: processes that were started with the command of one of these servers, lead
 * their own group, as every server does that was started here, and have lost their parent. It ends nothing. Another program's server is
 * found as well if it was started in the same way, so ask before you end one. Finds none on Windows.
 *
 * @param servers - with values filled in, by the names of their entries
 */
export function findOrphans(
  servers: readonly { readonly name: string; readonly command: string; readonly args: readonly string[] }[],
): readonly Orphan[] {
  const running = runningProcesses();
  const parents = new Map(running.map((found) => [found.pid, found]));
  const isLost = ({ pid, parentPid, groupId }: RunningProcess) => {
    const parent = parents.get(parentPid);
    const isAdopted = parentPid === 1 || (parent !== undefined && ADOPTERS.test(programOf(parent)));
    return pid === groupId && pid !== process.pid && isAdopted;
  };
  return running.filter(isLost).flatMap((found) => {
    const server = servers.find(({ command, args }) => isStartedWith(found.words, command, args));
    return server ? [{ server: server.name, pid: found.pid }] : [];
  });
}

/** A script runs under its interpreter, so the command may stand behind other words. */
function isStartedWith(words: string, command: string, args: readonly string[]): boolean {
  const tail = [basename(command), ...args].join(" ");
  return words === tail || words.endsWith(`/${tail}`) || words.endsWith(` ${tail}`);
}

function programOf({ words }: RunningProcess): string {
  return basename(words.split(" ", 1)[0] ?? "");
}

function runningProcesses(): readonly RunningProcess[] {
  if (process.platform === "win32") return [];
  return process.platform === "linux" ? readProc() : readPs();
}

function readProc(): RunningProcess[] {
  return fileSystem.readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const stat = fileSystem.readFileSync(`/proc/${entry}/stat`, "latin1");
      const [state = "", parentPid, groupId] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const words = fileSystem
        .readFileSync(`/proc/${entry}/cmdline`, "utf8")
        .replace(/\0$/, "")
        .replaceAll("\0", " ");
      if (/[ZXx]/.test(state)) return [];
      return [{ pid: Number(entry), parentPid: Number(parentPid), groupId: Number(groupId), words }];
    } catch {
      return []; // it has ended since the folder was read
    }
  });
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/;

function readPs(): RunningProcess[] {
  const options = { env: { PATH: "/bin:/usr/bin", LC_ALL: "C" }, encoding: "utf8" } as const;
  const { stdout } = childProcesses.spawnSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,args="], options);
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [, pid, parentPid, groupId, words] = PS_LINE.exec(line) ?? [];
    if (words === undefined) return [];
    return [{ pid: Number(pid), parentPid: Number(parentPid), groupId: Number(groupId), words }];
  });
}
