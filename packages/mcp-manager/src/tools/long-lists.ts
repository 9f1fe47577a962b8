import { createTimeSlices, isSameJson, type ToolDefinition } from "@jackfield/mcp-core";

/** Lists of up to so many tools are offered at once, which takes a few milliseconds. */
const MOST_AT_ONCE = 200;

export interface LongListOptions {
  /** The tools that were on offer before. */
  readonly known: readonly ToolDefinition[];
  /** Begins the preparation: what it returns is called with each tool that will be offered. */
  readonly preparation: () => (definition: ToolDefinition) => void;
  /** Whether the list is still to be offered; asked between slices. */
  readonly isWanted: () => boolean;
}

/**
 * Prepares a long list in slices of time, so that little is left for the turn in which it replaces the one before. A tool that is still the
 * same keeps its object, which needs no second look.
 *
 * @returns the list to offer, which is the known one if nothing has changed; `undefined` for a list that is not long
 */
export function preparedList(
  listed: readonly ToolDefinition[],
  options: LongListOptions,
): Promise<readonly ToolDefinition[]> | undefined {
  return listed.length > MOST_AT_ONCE ? prepareInSlices(listed, options) : undefined;
}

async function prepareInSlices(
  listed: readonly ToolDefinition[],
  { known, preparation, isWanted }: LongListOptions,
): Promise<readonly ToolDefinition[]> {
  const slices = createTimeSlices();
  await slices.next(); // The list has just been read.
  const prepare = preparation();
  const before = new Map(known.map((definition) => [definition.name, definition]));
  const items: ToolDefinition[] = [];
  for (const definition of listed) {
    if (slices.isOver()) await slices.next();
    if (!isWanted()) return listed;
    const old = before.get(definition.name);
    const kept = old !== undefined && isSameJson(old, definition) ? old : definition;
    prepare(kept);
    items.push(kept);
  }
  await slices.next();
  const isSame =
    items.length === known.length && items.every((definition, index) => definition === known[index]);
  return isSame ? known : items;
}
