import type { ProcessTable } from "./process-table.ts";
import type { TreeMembers } from "./tree-members.ts";

/** How long to wait at each step of ending a tree, in milliseconds. */
export interface EndGraces {
  readonly endOfInputMs: number;
  readonly sigtermMs: number;
  readonly sigkillMs: number;
}

/**
 * Shares of the time that closing may take: a server may have to save its state. 5 s give it 2 s from the end of its input to SIGTERM, and 2 s
 * more to SIGKILL, as long as the official clients do. A killed process only has to be cleared away, but many at once need some time.
 */
export function gracesWithin(closeTimeoutMs: number): EndGraces {
  const share = closeTimeoutMs / 5;
  return { endOfInputMs: 2 * share, sigtermMs: 2 * share, sigkillMs: share };
}

/** Two rounds stop every process that can start others, unless one is quicker. */
const MOST_ROUNDS = 10;

/** Sends SIGTERM to all members, and after a while SIGKILL to those left. Resolves with false if some outlived even that. */
export async function endMembers(
  members: TreeMembers,
  table: ProcessTable,
  { sigtermMs, sigkillMs }: EndGraces,
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
