import { describe, test } from "vitest";
import { CUTS, survivesRandomCuts } from "./random-cuts.ts";

describe(`[R41] calls whose connections are cut ${CUTS} times at random (sse)`, () => {
  test("run at most once, and their outcomes are true", () => survivesRandomCuts("sse"));
});
