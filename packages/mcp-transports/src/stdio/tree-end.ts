import type { ProcessTable } from "./process-table.ts";
import type { TreeMembers } from "./tree-members.ts";

/** How long each step of an end is waited for, in milliseconds. */
export interface EndGraces {
  readonly endOfInputMs: number;
  readonly sigtermMs: number;
  readonly sigkillMs: number;
}

/**
 * 3.4 s, and a moment for stopping everybody before they are killed. Who was killed needs time only to be cleared away, but many
 * at once need some.
 */
export const END_GRACES: EndGraces = { endOfInputMs: 1000, sigtermMs: 1000, sigkillMs: 1400 };

/** Stopping everybody who can start others is done after two rounds, unless somebody is quicker. */
const MOST_ROUNDS = 10;

/** Asks everybody to stop, and stops whoever has not after a while. False if even that was in vain. */
export async function endMembers(
  members: TreeMembers,
  table: ProcessTable,
  { sigtermMs, sigkillMs }: EndGraces = END_GRACES,
): Promise<boolean> {
  members.signal("SIGTERM");
  const isGone = await goneWithin(members, table, AbortSignal.timeout(sigtermMs));
  return isGone || killMembers(members, table, sigkillMs);
}

/** Waits until nobody is left, or patience is. */
export async function goneWithin(
  members: TreeMembers,
  table: ProcessTable,
  patience: AbortSignal,
): Promise<boolean> {
  while (members.look(await table.snapshot())) if (patience.aborted) return false;
  return true;
}

async function killMembers(members: TreeMembers, table: ProcessTable, graceMs: number): Promise<boolean> {
  // Begins with the kill: on a busy machine stopping everybody first may take longer than dying does.
  let patience: AbortSignal | undefined;
  for (;;) {
    for (let round = 0; round < MOST_ROUNDS && members.freeze(await table.snapshot()); round += 1);
    members.kill();
    patience ??= AbortSignal.timeout(graceMs);
    if (!members.look(await table.snapshot())) return true;
    if (patience.aborted) return false;
  }
}

/** Stops everybody in all of the trees before it returns: for the moment in which the host itself ends. */
export function killAtOnce(trees: readonly TreeMembers[], table: ProcessTable): void {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const snapshot = table.snapshotNow();
    if (trees.filter((members) => members.freeze(snapshot)).length === 0) break;
  }
  for (const members of trees) members.kill();
}
