import { describe, expect, it } from "vitest";
import { chooseScopes, type ScopeSources, splitScopes } from "../../src/flow/scope-choice.ts";

const cases: readonly (readonly [string, Partial<ScopeSources>, readonly string[]])[] = [
  ["nothing where nobody names any", {}, []],
  ["all that the resource knows where nobody names any", { resourceScopes: ["a", "b"] }, ["a", "b"]],
  [
    "those of the challenge, not all that the resource knows",
    { challenged: "a", resourceScopes: ["a", "b"] },
    ["a"],
  ],
  ["none where the resource knows but an empty one", { resourceScopes: [""] }, []],
  [
    "all that the resource knows where the entry names an empty one",
    { configured: [""], resourceScopes: ["a"] },
    ["a"],
  ],
  ["those of the entry", { configured: ["c"], resourceScopes: ["a"] }, ["c"]],
  [
    "those of the challenge and the entry, each once",
    { challenged: "a b", configured: ["b", "c"] },
    ["a", "b", "c"],
  ],
  ["[A24] an earlier login's as well where it is widened", { challenged: "b", earlier: ["a"] }, ["a", "b"]],
  [
    "[A17] offline_access where the issuer knows it",
    { challenged: "a", issuerScopes: ["offline_access"] },
    ["a", "offline_access"],
  ],
  [
    "[A17] offline_access once",
    { challenged: "offline_access a", issuerScopes: ["offline_access"] },
    ["offline_access", "a"],
  ],
  [
    "[A17] no offline_access where only the resource's scopes are known",
    { challenged: "a", resourceScopes: ["offline_access"] },
    ["a"],
  ],
  [
    "[A17] no offline_access alone, where the issuer decides what a login may do",
    { issuerScopes: ["offline_access"] },
    [],
  ],
];

describe("what a login asks for", () => {
  it.each(cases)("is %s", (_, sources, wanted) => {
    expect(chooseScopes({ configured: [], ...sources })).toEqual(wanted);
  });

  it("is read from texts with any blanks between the scopes", () => {
    expect(splitScopes("  a\tb  a\n")).toEqual(["a", "b"]);
    expect(splitScopes(undefined)).toEqual([]);
  });
});
