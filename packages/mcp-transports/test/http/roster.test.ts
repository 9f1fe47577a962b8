import { expect, test } from "vitest";
import { createRoster } from "../../src/http/roster.ts";

test("members are there until they leave, in whatever order", () => {
  const roster = createRoster<string>();
  const leave = ["a", "b", "c", "d"].map((member) => roster.add(member));
  expect(roster.find((member) => member > "b")).toBe("c");
  leave[0]?.();
  expect(roster.all().sort()).toEqual(["b", "c", "d"]);
  leave[3]?.();
  leave[2]?.();
  expect(roster.all()).toEqual(["b"]);
  const leaveAgain = roster.add("a");
  leave[1]?.();
  expect(roster.all()).toEqual(["a"]);
  expect(roster.find((member) => member === "b")).toBeUndefined();
  leaveAgain();
  expect(roster.all()).toEqual([]);
});

test("one that is there twice leaves twice", () => {
  const roster = createRoster<string>();
  const leave = [roster.add("a"), roster.add("a")];
  leave[0]?.();
  leave[0]?.();
  expect(roster.all()).toEqual(["a"]);
  leave[1]?.();
  expect(roster.all()).toEqual([]);
});
