import { describe, test } from "vitest";
import { CUTS, RUNS, survivesRandomCuts } from "./random-cuts.ts";

// A file of its own for each way of answering, so that the two run beside each other.
describe(`[R41] calls whose connections are cut ${CUTS} times at random (json)`, () => {
  test.each(RUNS)(
    "run at most once, and none is lost without being called so: run %d",
    { timeout: 120_000 },
    () => survivesRandomCuts("json"),
  );
});
