import { expect, it } from "vitest";
import { createDeclinedScopes } from "../src/declined-scopes.ts";

it("scopes were declined if all of them were, and no scope is one", () => {
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

it("scopes that were declined beside a login are asked for beside the next one, and not because the same one is renewed", () => {
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
