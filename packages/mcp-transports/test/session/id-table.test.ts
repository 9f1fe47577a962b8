import { expect, test } from "vitest";
import { createIdTable, type Identified } from "../../src/session/id-table.ts";

const LAST_ID = 2 ** 31 - 1;

function member(): Identified {
  return { id: -1 };
}

test("each member gets a unique id above the SDK's range and is found until removed", () => {
  const table = createIdTable();
  const members = Array.from({ length: 1000 }, member);
  for (const each of members) table.add(each);
  expect(new Set(members.map(({ id }) => id)).size).toBe(1000);
  for (const each of members) {
    expect(each.id).toBeGreaterThanOrEqual(1_000_000_000);
    expect(table.find(each.id)).toBe(each);
  }
  for (const each of members) expect(table.take(each.id)).toBe(each);
  for (const each of members) expect(table.find(each.id)).toBeUndefined();
});

test("a member keeps its id while ten thousand others come and go", () => {
  const table = createIdTable();
  const lasting = [member(), member(), member()];
  for (const each of lasting) table.add(each);
  const seen = new Set(lasting.map(({ id }) => id));
  for (let count = 0; count < 10_000; count += 1) {
    const passing = member();
    table.add(passing);
    seen.add(passing.id);
    table.take(passing.id);
  }
  expect(seen.size).toBe(10_003);
  for (const each of lasting) expect(table.find(each.id)).toBe(each);
});

test("removed, unknown and fractional ids find no member", () => {
  const table = createIdTable();
  const [gone, there] = [member(), member()];
  table.add(gone);
  table.add(there);
  expect(table.take(gone.id)).toBe(gone);
  for (const id of [gone.id, -1, 0, there.id + 64, there.id + 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(table.find(id)).toBeUndefined();
    expect(table.take(id)).toBeUndefined();
  }
  expect(table.find(there.id)).toBe(there);
});

test("ids wrap around after the largest 32-bit integer without a duplicate", () => {
  const table = createIdTable(LAST_ID - 2);
  const members = Array.from({ length: 200 }, member);
  for (const each of members) table.add(each);
  const ids = members.map(({ id }) => id);
  expect(ids.slice(0, 4)).toEqual([LAST_ID - 2, LAST_ID - 1, LAST_ID, 1_000_000_000]);
  expect(Math.max(...ids)).toBe(LAST_ID);
  for (const each of members) expect(table.find(each.id)).toBe(each);
});
