import { expect, test } from "vitest";
import { createRoster, type RosterMember } from "../src/roster.ts";

interface Named extends RosterMember {
  readonly name: string;
}

const named = (name: string): Named => ({ name, rosterIndex: -1 });

test("members stay until they are removed, in whatever order", () => {
  const roster = createRoster<Named>();
  const names = () => roster.all().map(({ name }) => name);
  const [a, b, c, d] = ["a", "b", "c", "d"].map(named) as [Named, Named, Named, Named];
  for (const member of [a, b, c, d]) roster.add(member);
  expect(roster.find(({ name }) => name > "b")).toBe(c);
  roster.remove(a);
  expect(names().sort()).toEqual(["b", "c", "d"]);
  roster.remove(d);
  roster.remove(c);
  expect(names()).toEqual(["b"]);
  roster.add(a);
  roster.remove(b);
  expect(names()).toEqual(["a"]);
  expect(roster.find((member) => member === b)).toBeUndefined();
  roster.remove(a);
  expect(roster.size).toBe(0);
});

test("removing a member twice removes no other", () => {
  const roster = createRoster<Named>();
  const [a, b] = [named("a"), named("b")];
  roster.add(a);
  roster.add(b);
  roster.remove(a);
  roster.remove(a);
  expect(roster.all()).toEqual([b]);
});
