import { expect, test } from "vitest";
import { createIdTable, type Identified } from "../../src/session/id-table.ts";

const LAST_ID = 2 ** 31 - 1;

function member(): Identified {
  return { id: -1 };
}

test("each member gets an id of its own, above those that the SDK counts, and is found by it until it is removed", () => {
  const table = createIdTable();
  const members = Array.from({ length: 1000 }, member);
  for (const each of members) table.add(each);
  expect(new Set(members.map(({ id }) => id)).size).toBe(1000);
  for (const each of members) {
    expect(each.id).toBeGreaterThanOrEqual(1_000_000_000);
    expect(table.find(each.id)).toBe(each);
  }
  for (const each of members) expect(table.remove(each)).toBe(true);
  for (const each of members) expect(table.find(each.id)).toBeUndefined();
});

test("one that waits long keeps its id while ten thousand others come and go", () => {
  const table = createIdTable();
  const patient = [member(), member(), member()];
  for (const each of patient) table.add(each);
  const seen = new Set(patient.map(({ id }) => id));
  for (let count = 0; count < 10_000; count += 1) {
    const passing = member();
    table.add(passing);
    seen.add(passing.id);
    table.remove(passing);
  }
  expect(seen.size).toBe(10_003);
  for (const each of patient) expect(table.find(each.id)).toBe(each);
});

test("an id of somebody who has left, of nobody, or that is no whole number finds nobody", () => {
  const table = createIdTable();
  const [gone, there] = [member(), member()];
  table.add(gone);
  table.add(there);
  expect(table.remove(gone)).toBe(true);
  expect(table.remove(gone)).toBe(false);
  for (const id of [gone.id, -1, 0, there.id + 64, there.id + 0.5, Number.NaN, Number.POSITIVE_INFINITY])
    expect(table.find(id)).toBeUndefined();
});

test("ids stay within 32 bits, and begin anew after the last without taking one that is in use", () => {
  const table = createIdTable(LAST_ID - 2);
  const members = Array.from({ length: 200 }, member);
  for (const each of members) table.add(each);
  const ids = members.map(({ id }) => id);
  expect(ids.slice(0, 4)).toEqual([LAST_ID - 2, LAST_ID - 1, LAST_ID, 1_000_000_000]);
  expect(Math.max(...ids)).toBe(LAST_ID);
  for (const each of members) expect(table.find(each.id)).toBe(each);
});
