import { describe, expect, it } from "vitest";
import { chooseScopes, type ScopeSources, splitScopes } from "../../src/flow/scope-choice.ts";

const cases: readonly (readonly [string, Partial<ScopeSources>, readonly string[]])[] = [
  ["are none if no source names any", {}, []],
  ["are all scopes of the resource if no other source names any", { resourceScopes: ["a", "b"] }, ["a", "b"]],
  ["are the challenge's, not all of the resource's", { challenged: "a", resourceScopes: ["a", "b"] }, ["a"]],
  ["are none if the resource names only an empty one", { resourceScopes: [""] }, []],
  [
    "are the resource's if the entry names only an empty one",
    { configured: [""], resourceScopes: ["a"] },
    ["a"],
  ],
  ["are the entry's, not the resource's", { configured: ["c"], resourceScopes: ["a"] }, ["c"]],
  [
    "are the challenge's and the entry's, each once",
    { challenged: "a b", configured: ["b", "c"] },
    ["a", "b", "c"],
  ],
  ["[A24] include those of the earlier login in a step-up", { challenged: "b", earlier: ["a"] }, ["a", "b"]],
  [
    "[A17] include offline_access if the issuer supports it",
    { challenged: "a", issuerScopes: ["offline_access"] },
    ["a", "offline_access"],
  ],
  [
    "[A17] include offline_access only once",
    { challenged: "offline_access a", issuerScopes: ["offline_access"] },
    ["offline_access", "a"],
  ],
  [
    "[A17] do not include offline_access if only the resource supports it",
    { challenged: "a", resourceScopes: ["offline_access"] },
    ["a"],
  ],
  [
    "[A17] do not include offline_access if there is no other scope",
    { issuerScopes: ["offline_access"] },
    [],
  ],
];

describe("the scopes of a login", () => {
  it.each(cases)("%s", (_, sources, wanted) => {
    expect(chooseScopes({ configured: [], ...sources })).toEqual(wanted);
  });

  it("are split at any whitespace, without duplicates", () => {
    expect(splitScopes("  a\tb  a\n")).toEqual(["a", "b"]);
    expect(splitScopes(undefined)).toEqual([]);
  });
});
