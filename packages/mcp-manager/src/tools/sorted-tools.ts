import type { ToolDescriptor } from "@jackfield/mcp-core";

/**
 * Tools by name, and sorted by name. Sorts on demand, so that a thousand servers that come up one after the other cost one sort. A few
 * changes are merged into a copy of the sorted array, which takes a fraction of the time of sorting again.
 */
export class SortedTools {
  readonly #byName = new Map<string, ToolDescriptor>();
  /**
   * Tools added and removed since the array was made; by name, because strings are looked up faster than objects. Not used while the
   * array is empty.
   */
  readonly #added = new Map<string, ToolDescriptor>();
  readonly #removed = new Map<string, ToolDescriptor>();
  #sorted: readonly ToolDescriptor[] = Object.freeze([]);

  get(name: string): ToolDescriptor | undefined {
    return this.#byName.get(name);
  }

  /** The name must be free: to replace a tool, remove the old one first. */
  add(tool: ToolDescriptor): void {
    this.#byName.set(tool.name, tool);
    if (this.#sorted.length === 0) return;
    if (this.#removed.get(tool.name) === tool) this.#removed.delete(tool.name);
    else this.#added.set(tool.name, tool);
  }

  remove(tool: ToolDescriptor): void {
    this.#byName.delete(tool.name);
    if (this.#sorted.length === 0) return;
    if (!this.#added.delete(tool.name)) this.#removed.set(tool.name, tool);
  }

  /** Frozen; the same array until something is added or removed. */
  list(): readonly ToolDescriptor[] {
    if (this.#sorted.length === 0) {
      if (this.#byName.size > 0) this.#sorted = Object.freeze(inOrder(this.#byName));
    } else if (this.#added.size > 0 || this.#removed.size > 0) {
      this.#sorted = Object.freeze(merged(this.#sorted, inOrder(this.#removed), inOrder(this.#added)));
      this.#added.clear();
      this.#removed.clear();
    }
    return this.#sorted;
  }
}

function inOrder(tools: ReadonlyMap<string, ToolDescriptor>): ToolDescriptor[] {
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The sorted array without the removed tools and with the added ones: one pass over all three. */
function merged(
  sorted: readonly ToolDescriptor[],
  removed: readonly ToolDescriptor[],
  added: readonly ToolDescriptor[],
): ToolDescriptor[] {
  const result: ToolDescriptor[] = [];
  let gone = 0;
  let come = 0;
  for (const tool of sorted) {
    for (let next = added[come]; next !== undefined && next.name < tool.name; next = added[come]) {
      result.push(next);
      come += 1;
    }
    if (removed[gone] === tool) gone += 1;
    else result.push(tool);
  }
  return [...result, ...added.slice(come)];
}
