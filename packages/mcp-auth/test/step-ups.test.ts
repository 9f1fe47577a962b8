import { expect, it } from "vitest";
import { StepUps } from "../src/step-ups.ts";

it("scopes count as declined if each one was; an empty set must be declined itself", () => {
  const declined = new StepUps(Date.now);
  declined.decline(["a", "b"], "login");
  expect([["a"], ["b", "a"], ["a", "c"], ["c"], []].map((scopes) => declined.areDeclined(scopes))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  declined.decline([], "login");
  expect(declined.areDeclined([])).toBe(true);
});

it("declined scopes stay declined after a renewal and are cleared by another login", () => {
  const declined = new StepUps(Date.now);
  declined.decline(["a"], "first");
  declined.replaceLogin("another", "new");
  declined.clearIfLoginChanged("first");
  expect(declined.areDeclined(["a"])).toBe(true);
  declined.replaceLogin("first", "renewed");
  declined.clearIfLoginChanged("renewed");
  expect(declined.areDeclined(["a"])).toBe(true);
  declined.clearIfLoginChanged("second");
  expect(declined.areDeclined(["a"])).toBe(false);
});
