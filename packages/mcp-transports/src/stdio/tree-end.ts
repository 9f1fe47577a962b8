import type { ProcessTable } from "./process-table.ts";
import type { TreeMembers } from "./tree-members.ts";

/** How long to wait at each step of ending a tree, in milliseconds. */
export interface EndGraces {
  readonly endOfInputMs: number;
  readonly sigtermMs: number;
  readonly sigkillMs: number;
}

/**
 * 3.4 s, and a moment for stopping all processes before they are killed. A killed process only has to be cleared away, but many
 * at once need some time for that.
 */
export const END_GRACES: EndGraces = { endOfInputMs: 1000, sigtermMs: 1000, sigkillMs: 1400 };

/** Two rounds stop every process that can start others, unless one is quicker. */
const MOST_ROUNDS = 10;

/** Sends SIGTERM to all members, and after a while SIGKILL to those left. Resolves with false if some outlived even that. */
export async function endMembers(
  members: TreeMembers,
  table: ProcessTable,
  { sigtermMs, sigkillMs }: EndGraces = END_GRACES,
): Promise<boolean> {
  members.signal("SIGTERM");
  const isGone = await goneWithin(members, table, AbortSignal.timeout(sigtermMs));
  return isGone || killMembers(members, table, sigkillMs);
}

/** Waits until no member is left, or `patience` fires. Resolves with whether none is left. */
export async function goneWithin(
  members: TreeMembers,
  table: ProcessTable,
  patience: AbortSignal,
): Promise<boolean> {
  while (members.look(await table.snapshot())) if (patience.aborted) return false;
  return true;
}

async function killMembers(members: TreeMembers, table: ProcessTable, graceMs: number): Promise<boolean> {
  // Begins with the kill: on a busy machine, stopping all members may take longer than dying does.
  let patience: AbortSignal | undefined;
  for (;;) {
    for (let round = 0; round < MOST_ROUNDS && members.freeze(await table.snapshot()); round += 1);
    members.kill();
    patience ??= AbortSignal.timeout(graceMs);
    if (!members.look(await table.snapshot())) return true;
    if (patience.aborted) return false;
  }
}

/** Kills all members of the trees before it returns: for the moment in which the host itself ends. */
export function killAtOnce(trees: readonly TreeMembers[], table: ProcessTable): void {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const snapshot = table.snapshotNow();
    if (trees.filter((members) => members.freeze(snapshot)).length === 0) break;
  }
  for (const members of trees) members.kill();
}
