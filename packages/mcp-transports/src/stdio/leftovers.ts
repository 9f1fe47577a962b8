import { thrownText, toMcpError } from "@jackfield/mcp-core";
import type { ProcessRecord, RecordedTree } from "./process-record.ts";
import {
  currentPlace,
  openProcessRecordDirectory,
  type ProcessRecordDirectory,
  type RecordFile,
} from "./process-record-directory.ts";
import type { ProcessSnapshot } from "./process-snapshot.ts";
import { createProcessTable } from "./process-table.ts";
import { endMembers } from "./tree-end.ts";
import { createTreeMembers } from "./tree-members.ts";
import { recallTreeRoster, updateTreeRoster } from "./tree-roster.ts";

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
  try {
    return await leftoversIn(options);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? thrownText(error);
    const message = `The records of running servers in ${options.directory} cannot be used (${reason}); check that it is a folder, and that you can read it and write to it.`;
    throw toMcpError(error, "MCP_STORAGE_FAILED", message);
  }
}

async function leftoversIn(options: { readonly directory: string }): Promise<readonly Leftover[]> {
  const directory = openProcessRecordDirectory(options.directory);
  // Read before the processes are listed: otherwise a host that starts in between would seem to be gone.
  const found = directory.list().map((file) => ({ file, record: readRecord(directory, file) }));
  if (found.length === 0) return [];
  const snapshot = await createProcessTable().snapshot();
  if (!snapshot) return [];
  return found.flatMap(({ file, record }) => {
    if (file.isDraft && !snapshot.get(file.hostPid)) directory.remove(file.path);
    return record ? examine(record, file, { directory, snapshot }) : [];
  });
}

/**
 * Ends the process trees that `findLeftovers` found: SIGTERM first, SIGKILL after a second. Resolves with those that could
 * not be ended. The next `findLeftovers` cleans up the records.
 */
export async function endLeftovers(leftovers: readonly Leftover[]): Promise<readonly Leftover[]> {
  const table = createProcessTable();
  const ended = await Promise.all(
    leftovers.map(async ({ processes }) => {
      const members = createTreeMembers(recallTreeRoster(processes), table);
      return !members.look(await table.snapshot()) || endMembers(members, table);
    }),
  );
  return leftovers.filter((_, index) => !ended[index]);
}

/** A draft is incomplete. Its host writes it again, or is gone. */
function readRecord(directory: ProcessRecordDirectory, file: RecordFile): ProcessRecord | undefined {
  return file.isDraft ? undefined : directory.read(file.path);
}

interface Examination {
  readonly directory: ProcessRecordDirectory;
  readonly snapshot: ProcessSnapshot;
}

/** Records of another machine or PID namespace cannot be judged from here and are ignored. */
function examine(
  record: ProcessRecord,
  { path }: RecordFile,
  { directory, snapshot }: Examination,
): Leftover[] {
  const { host, trees, place } = record;
  const here = currentPlace();
  if (place.machine !== here.machine) return [];
  if (place.boot === here.boot) {
    if (place.pidNamespace !== here.pidNamespace) return [];
    if (snapshot.get(host.pid)?.start === host.start) return [];
  }
  const left = place.boot === here.boot ? trees.flatMap((tree) => whoIsLeft(tree, snapshot)) : [];
  if (left.length === 0) directory.remove(path);
  return left.map((tree) => ({ ...tree, hostPid: host.pid }));
}

function whoIsLeft(tree: RecordedTree, snapshot: ProcessSnapshot): RecordedTree[] {
  const { members } = updateTreeRoster(recallTreeRoster(tree.processes), snapshot, process.pid);
  return members.length > 0 ? [{ ...tree, processes: members }] : [];
}
