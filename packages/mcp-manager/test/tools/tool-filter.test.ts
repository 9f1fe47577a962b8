import { describe, expect, it } from "vitest";
import { isIncluded } from "../../src/tools/tool-filter.ts";

describe("a server's tool filter", () => {
  it("[L23] lets exclude beat include", () => {
    expect(isIncluded({ include: ["*"], exclude: ["delete"] }, "delete")).toBe(false);
  });

  it("offers everything where nothing is said, and nothing where the list is empty", () => {
    expect(isIncluded(undefined, "anything")).toBe(true);
    expect(isIncluded({ include: [] }, "anything")).toBe(false);
  });

  it("offers only what is included", () => {
    expect(isIncluded({ include: ["read_*"] }, "read_file")).toBe(true);
    expect(isIncluded({ include: ["read_*"] }, "write_file")).toBe(false);
  });
});
