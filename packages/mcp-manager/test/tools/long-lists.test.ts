import type { ToolDefinition } from "@jackfield/mcp-core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { preparedList } from "../../src/tools/long-lists.ts";
import { tool } from "../manager-fixture.ts";

/** The work of a slice is counted, not measured: each look at the clock takes a millisecond. */
function countedClock(): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 1;
    return now;
  });
}

/** Counts the turns of other work until a promise resolves. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isDone = true;
  return turns;
}

const listOf = (length: number, change: Partial<ToolDefinition> = {}) =>
  Array.from({ length }, (_, index) => tool(`tool${index}`, change));

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a list of tools", () => {
  test("is offered at once unless it is long", () => {
    const preparation = vi.fn(() => () => {});
    const options = { known: [], preparation, isWanted: () => true };
    expect(preparedList(listOf(200), options)).toBeUndefined();
    expect(preparation).not.toHaveBeenCalled();
  });

  test("that is long is prepared in slices, between which other work has its turn", async () => {
    countedClock();
    const prepared: ToolDefinition[] = [];
    const listed = listOf(1_000);
    const preparation = () => (definition: ToolDefinition) => void prepared.push(definition);
    const preparing = preparedList(listed, { known: [], preparation, isWanted: () => true }) ?? listed;
    expect(prepared).toHaveLength(0);
    const turns = await turnsUntil(Promise.resolve(preparing));
    expect(turns).toBeGreaterThan(200);
    expect(prepared).toEqual(listed);
    expect(await preparing).toEqual(listed);
  });

  test("keeps the objects of tools that are still the same, and is the known list if all are", async () => {
    const known = listOf(300);
    const options = { known, preparation: () => () => {}, isWanted: () => true };
    expect(await preparedList(listOf(300), options)).toBe(known);
    const changed = listOf(300);
    changed[7] = tool("tool7", { description: "Other." });
    const items = (await preparedList(changed, options)) ?? [];
    expect(items.filter((item, index) => item !== known[index])).toEqual([changed[7]]);
    expect(await preparedList(listOf(299), options)).toEqual(known.slice(0, 299));
  });

  test("is prepared no further once it is not wanted", async () => {
    countedClock();
    const prepare = vi.fn();
    let isWanted = true;
    const preparing = preparedList(listOf(1_000), {
      known: [],
      preparation: () => prepare,
      isWanted: () => isWanted,
    });
    await vi.waitFor(() => expect(prepare).toHaveBeenCalled(), { timeout: 30_000, interval: 0 });
    isWanted = false;
    const before = prepare.mock.calls.length;
    await preparing;
    expect(prepare).toHaveBeenCalledTimes(before);
    expect(before).toBeLessThan(1_000);
  });
});
