import { describe, test } from "vitest";
import { CUTS, RUNS, survivesRandomCuts } from "./random-cuts.ts";

// One file for each kind of answers, so that the two run in parallel.
describe(`[R41] calls whose connections are cut ${CUTS} times at random (json)`, () => {
  test.each(RUNS)("run at most once, and their outcomes are true: run %d", { timeout: 120_000 }, () =>
    survivesRandomCuts("json"),
  );
});
