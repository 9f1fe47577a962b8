import { basename } from "node:path";
import { commandLinesOf, type ProcessFact, processesNow } from "./process-table.ts";

/** A server that still runs although the host that started it is gone. */
export interface Orphan {
  /** The name of its entry. */
  readonly server: string;
  readonly pid: number;
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
  const running = processesNow().filter(({ isDead }) => !isDead);
  const leaders = running.filter(({ pid, groupId }) => pid === groupId && pid !== process.pid);
  const lines = commandLinesOf([...new Set(leaders.flatMap(({ pid, parentPid }) => [pid, parentPid]))]);
  const isAdopted = ({ parentPid }: ProcessFact) =>
    parentPid === 1 || ADOPTERS.test(basename(lines.get(parentPid)?.split(" ", 1)[0] ?? ""));
  return leaders.filter(isAdopted).flatMap(({ pid }) => {
    const line = lines.get(pid) ?? "";
    const server = servers.find(({ command, args }) => isStartedWith(line, command, args));
    return server ? [{ server: server.name, pid }] : [];
  });
}

/** A script runs under its interpreter, so the command may stand behind other words. */
function isStartedWith(line: string, command: string, args: readonly string[]): boolean {
  const tail = [basename(command), ...args].join(" ");
  return line === tail || line.endsWith(`/${tail}`) || line.endsWith(` ${tail}`);
}
