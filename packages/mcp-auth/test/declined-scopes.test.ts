import { expect, it } from "vitest";
import { createDeclinedScopes } from "../src/declined-scopes.ts";

it("scopes count as declined if each one was; an empty set must be declined itself", () => {
  const declined = createDeclinedScopes();
  declined.add(["a", "b"], "login");
  expect([["a"], ["b", "a"], ["a", "c"], ["c"], []].map((scopes) => declined.include(scopes))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  declined.add([], "login");
  expect(declined.include([])).toBe(true);
});

it("declined scopes stay declined after a renewal and are cleared by another login", () => {
  const declined = createDeclinedScopes();
  declined.add(["a"], "first");
  declined.replaceLogin("another", "new");
  declined.clearIfLoginChanged("first");
  expect(declined.include(["a"])).toBe(true);
  declined.replaceLogin("first", "renewed");
  declined.clearIfLoginChanged("renewed");
  expect(declined.include(["a"])).toBe(true);
  declined.clearIfLoginChanged("second");
  expect(declined.include(["a"])).toBe(false);
});
