import type { ToolDescriptor } from "@jackfield/mcp-core";

/** Tools by name, and sorted by name. */
export interface SortedTools {
  get(name: string): ToolDescriptor | undefined;
  /** The name must be free: to replace a tool, remove the old one first. */
  add(tool: ToolDescriptor): void;
  remove(tool: ToolDescriptor): void;
  /** Frozen; the same array until something is added or removed. */
  list(): readonly ToolDescriptor[];
}

/**
 * Sorts on demand, so that a thousand servers that come up one after the other cost one sort. A few changes are merged into a copy of
 * the sorted array, which takes a fraction of the time of sorting again.
 */
export function createSortedTools(): SortedTools {
  const byName = new Map<string, ToolDescriptor>();
  /**
   * Tools added and removed since the array was made; by name, because strings are looked up faster than objects. Not used while the
   * array is empty.
   */
  const added = new Map<string, ToolDescriptor>();
  const removed = new Map<string, ToolDescriptor>();
  let sorted: readonly ToolDescriptor[] = Object.freeze([]);

  return {
    get: byName.get.bind(byName),
    add(tool) {
      byName.set(tool.name, tool);
      if (sorted.length === 0) return;
      if (removed.size > 0 && removed.get(tool.name) === tool) removed.delete(tool.name);
      else added.set(tool.name, tool);
    },
    remove(tool) {
      byName.delete(tool.name);
      if (sorted.length === 0) return;
      if (!added.delete(tool.name)) removed.set(tool.name, tool);
    },
    list() {
      if (sorted.length === 0) {
        if (byName.size > 0) sorted = Object.freeze(inOrder(byName));
      } else if (added.size > 0 || removed.size > 0) {
        const changes = { removed: inOrder(removed), added: inOrder(added) };
        sorted = Object.freeze(updated(sorted, changes));
        added.clear();
        removed.clear();
      }
      return sorted;
    },
  };
}

interface Changes {
  readonly removed: readonly ToolDescriptor[];
  readonly added: readonly ToolDescriptor[];
}

function inOrder(tools: ReadonlyMap<string, ToolDescriptor>): ToolDescriptor[] {
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The array with the changes: each is found by binary search, and everything between them is copied. */
function updated(sorted: readonly ToolDescriptor[], { removed, added }: Changes): ToolDescriptor[] {
  const result: ToolDescriptor[] = [];
  let copied = 0;
  const copyTo = (end: number) => {
    for (; copied < end; copied += 1) result.push(sorted[copied] as ToolDescriptor);
  };
  const coming = added.values();
  let next = coming.next().value;
  const addBefore = (name: string | undefined) => {
    for (; next !== undefined && (name === undefined || next.name < name); next = coming.next().value) {
      copyTo(placeOf(next.name, sorted, copied));
      result.push(next);
    }
  };
  for (const { name } of removed) {
    addBefore(name);
    copyTo(placeOf(name, sorted, copied));
    copied += 1;
  }
  addBefore(undefined);
  copyTo(sorted.length);
  return result;
}

/** The index of the first tool, from `from` on, that does not come before `name`. */
function placeOf(name: string, sorted: readonly ToolDescriptor[], from: number): number {
  let low = from;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as ToolDescriptor).name < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
