import { describe, expect, test } from "vitest";
import { createExcuses } from "../src/excuses.ts";
import type { Step } from "../src/step.ts";

const STEP: Step = { kind: "start", subject: "mastra", servers: 20, fault: "hang" };

describe("a subject is excused from a scenario", () => {
  test("after it was given up there, but not from other scenarios", () => {
    const excuses = createExcuses();
    excuses.note(STEP, { figures: { gaveUpAfterMs: 3_000 } });
    expect(excuses.has(STEP)).toBe(true);
    expect(excuses.has({ ...STEP, subject: "langchain" })).toBe(false);
    expect(excuses.has({ ...STEP, fault: "slow" })).toBe(false);
  });

  test("only after its second problem there", () => {
    const excuses = createExcuses();
    excuses.note(STEP, { figures: {}, problem: "It ended." });
    expect(excuses.has(STEP)).toBe(false);
    excuses.note(STEP, { figures: { readyMs: 1 } });
    expect(excuses.has(STEP)).toBe(false);
    excuses.note(STEP, { figures: {}, problem: "It ended." });
    expect(excuses.has(STEP)).toBe(true);
  });
});
