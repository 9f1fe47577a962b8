import { describe, expect, it } from "vitest";
import { generalStep } from "../src/command-line/doctor/general-step.ts";

describe("a step for many messages", () => {
  it.each([
    "It limits the rate of requests; try again later.",
    "The connection was lost. Connect again.",
    'No client could be registered. Ask its operator for a client id, and put it into the entry\'s "oauth".',
    "The stored login is not used. Log in again.",
    "Only a person can log in; pass `authorize` to `createOAuth`.",
    'A project\'s entry gets what its approval lists. Otherwise list the variable in option "projectVariables".',
    "This is a reference. Jackfield reads references only in strings: put it in double quotes.",
  ])("is left out after %j", (message) => {
    expect(generalStep(message, "See the details.")).toBeUndefined();
  });

  it.each([
    "It answered with HTTP 404.",
    "The connection was refused: connect ECONNREFUSED",
    "Nothing was sent; requests time out.",
  ])("follows %j", (message) => {
    expect(generalStep(message, "See the details.")).toBe("See the details.");
  });
});
