import { describe, expect, it } from "vitest";
import { distinctNames, type NameRules } from "../../src/tools/server-names.ts";
import { seededRandom, shuffled } from "./naming-fixture.ts";

const SEED = 5;

/** Rules under which everything clashes, and so do most hashes. */
const crowded: NameRules = {
  nameOf: () => "same",
  hashedForms: (_original, hash) => [`same_${hash.slice(0, 2)}`],
  seedOf: (original) => original,
  isUsable: (name) => name !== "same_00",
};

describe("distinct names", () => {
  it(`do not depend on the order of the originals, even if hashes collide (seed ${SEED})`, () => {
    const originals = Array.from({ length: 200 }, (_, index) => `tool ${index}`);
    const names = distinctNames(originals, crowded);
    expect(new Set(names.values()).size).toBe(200);
    expect([...names.values()]).not.toContain("same_00");
    const random = seededRandom(SEED);
    for (let order = 0; order < 10; order += 1) {
      expect(distinctNames(shuffled(originals, random), crowded)).toEqual(names);
    }
  });

  it("leave a unique name unchanged, and count a repeated original once", () => {
    const rules = { ...crowded, nameOf: (original: string) => original.toLowerCase() };
    const names = distinctNames(["a", "B", "b", "a"], rules);
    expect(names.get("a")).toBe("a");
    expect(names.size).toBe(3);
    for (const original of ["B", "b"]) expect(names.get(original)).toMatch(/^same_[0-9a-f]{2}$/);
  });
});
