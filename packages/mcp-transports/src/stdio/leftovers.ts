import type { ProcessRecord, RecordedTree } from "./process-record.ts";
import {
  currentPlace,
  processRecordFolder,
  readProcessRecord,
  recordNames,
} from "./process-record-directory.ts";
import type { ProcessSnapshot } from "./process-snapshot.ts";
import { createProcessTable } from "./process-table.ts";
import { endMembers, gracesWithin } from "./tree-end.ts";
import { createTreeMembers } from "./tree-members.ts";
import { recallTreeRoster, updateTreeRoster } from "./tree-roster.ts";

/** How long each step of ending a tree takes. */
const LEFTOVER_GRACES = gracesWithin(5_000);

/** A server that still runs although the host that started it is gone. */
export interface Leftover extends RecordedTree {
  /** Process number of the host that started the server. */
  readonly hostPid: number;
}

/**
 * Finds servers whose host was killed before it could end them, in the records that `createConnector` writes with
 * `processRecord`. It ends nothing, and removes records of which no process runs any more. Servers of hosts that still
 * run are ignored, and so are processes that merely reuse a recorded number. A missing directory counts as empty.
 *
 * @throws McpError `MCP_STORAGE_FAILED` if others may write in the directory, it belongs to another user, or it cannot be read.
 */
export async function findLeftovers(options: { readonly directory: string }): Promise<readonly Leftover[]> {
  const folder = processRecordFolder(options.directory);
  // Read before the processes are listed: otherwise a host that starts in between would seem to be gone.
  const found = recordNames(folder).flatMap((name) => {
    const record = readProcessRecord(folder, name);
    return record ? [{ name, record }] : [];
  });
  if (found.length === 0) return [];
  const snapshot = await createProcessTable().snapshot();
  if (!snapshot) return [];
  return found.flatMap(({ name, record }) => {
    const left = leftOf(record, snapshot);
    if (left?.length === 0) folder.remove(name);
    return left ?? [];
  });
}

/**
 * Ends the process trees that `findLeftovers` found: SIGTERM first, SIGKILL after two seconds. Resolves with those that could
 * not be ended. The next `findLeftovers` cleans up the records.
 */
export async function endLeftovers(leftovers: readonly Leftover[]): Promise<readonly Leftover[]> {
  const table = createProcessTable();
  const ended = await Promise.all(
    leftovers.map(async ({ processes }) => {
      const members = createTreeMembers(recallTreeRoster(processes), table);
      return !members.look(await table.snapshot()) || endMembers(members, table, LEFTOVER_GRACES);
    }),
  );
  return leftovers.filter((_, index) => !ended[index]);
}

/** Records of another machine or PID namespace cannot be judged from here, and hosts that run look after theirs: `undefined`. */
function leftOf({ host, trees, place }: ProcessRecord, snapshot: ProcessSnapshot): Leftover[] | undefined {
  const here = currentPlace();
  if (place.machine !== here.machine) return undefined;
  if (place.boot !== here.boot) return [];
  if (place.pidNamespace !== here.pidNamespace) return undefined;
  if (snapshot.get(host.pid)?.start === host.start) return undefined;
  return trees.flatMap((tree) => whoIsLeft(tree, snapshot).map((left) => ({ ...left, hostPid: host.pid })));
}

function whoIsLeft(tree: RecordedTree, snapshot: ProcessSnapshot): RecordedTree[] {
  const { members } = updateTreeRoster(recallTreeRoster(tree.processes), snapshot, process.pid);
  return members.length > 0 ? [{ ...tree, processes: members }] : [];
}
