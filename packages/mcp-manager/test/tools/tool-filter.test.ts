import { describe, expect, it } from "vitest";
import { isIncluded } from "../../src/tools/offered-tools.ts";

describe("a server's tool filter", () => {
  it("[L23] gives exclude precedence over include", () => {
    expect(isIncluded({ include: ["*"], exclude: ["delete"] }, "delete")).toBe(false);
  });

  it("offers every tool if it is missing, and none if include is empty", () => {
    expect(isIncluded(undefined, "anything")).toBe(true);
    expect(isIncluded({ include: [] }, "anything")).toBe(false);
  });

  it("offers only included tools", () => {
    expect(isIncluded({ include: ["read_*"] }, "read_file")).toBe(true);
    expect(isIncluded({ include: ["read_*"] }, "write_file")).toBe(false);
  });
});
