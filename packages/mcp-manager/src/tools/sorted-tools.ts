import type { ToolDescriptor } from "@jackfield/mcp-core";

/**
 * Tools by name, and sorted by name. Sorts on demand, so that a thousand servers that come up one after the other cost one sort. A few
 * changes are merged into a copy of the sorted array, which takes a fraction of the time of sorting again.
 */
export class SortedTools {
  readonly #byName = new Map<string, ToolDescriptor>();
  /** Names that came and went since the array was made, and tools that went. Not used while the array is empty. */
  readonly #added = new Set<string>();
  readonly #removed = new Map<string, ToolDescriptor>();
  /** Whether another tool has a name that stands in the array. */
  #isReplaced = false;
  #sorted: readonly ToolDescriptor[] = Object.freeze([]);

  get(name: string): ToolDescriptor | undefined {
    return this.#byName.get(name);
  }

  /** It takes the place of a tool of the same name. */
  add(tool: ToolDescriptor): void {
    const { name } = tool;
    const isTaken = this.#byName.has(name);
    this.#byName.set(name, tool);
    if (this.#sorted.length === 0) return;
    const removed = this.#removed.get(name);
    if (isTaken) this.#isReplaced = true;
    else if (removed === undefined) this.#added.add(name);
    else {
      this.#removed.delete(name);
      this.#isReplaced ||= removed !== tool;
    }
  }

  remove(tool: ToolDescriptor): void {
    this.#byName.delete(tool.name);
    if (this.#sorted.length === 0) return;
    if (!this.#added.delete(tool.name)) this.#removed.set(tool.name, tool);
  }

  /** Frozen; the same array until something is added or removed. */
  list(): readonly ToolDescriptor[] {
    if (this.#sorted.length === 0) {
      if (this.#byName.size > 0) this.#sorted = Object.freeze([...this.#byName.values()].sort(compareNames));
    } else if (this.#isReplaced || this.#added.size > 0 || this.#removed.size > 0) {
      this.#sorted = Object.freeze(merged(this.#sorted, this.#byName, [...this.#added].sort()));
      this.#added.clear();
      this.#removed.clear();
      this.#isReplaced = false;
    }
    return this.#sorted;
  }
}

function compareNames(a: ToolDescriptor, b: ToolDescriptor): number {
  return a.name < b.name ? -1 : 1;
}

/** The sorted array with the tools that have its names now, and with those of names that came: one pass over both. */
function merged(
  sorted: readonly ToolDescriptor[],
  byName: ReadonlyMap<string, ToolDescriptor>,
  come: readonly string[],
): ToolDescriptor[] {
  const result: ToolDescriptor[] = [];
  let at = 0;
  const push = (name: string) => {
    const tool = byName.get(name);
    if (tool !== undefined) result.push(tool);
  };
  for (const { name } of sorted) {
    for (let next = come[at]; next !== undefined && next < name; next = come[at]) {
      push(next);
      at += 1;
    }
    push(name);
  }
  for (const name of come.slice(at)) push(name);
  return result;
}
