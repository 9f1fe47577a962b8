import { describe, expect, test } from "vitest";
import { createExcuses } from "../src/excuses.ts";
import type { Step } from "../src/step.ts";

const STEP: Step = { kind: "start", subject: "mastra", servers: 20, fault: "hang" };

describe("who need not be measured again", () => {
  test("is whoever was given up, in that scenario and no other", () => {
    const excuses = createExcuses();
    excuses.note(STEP, { figures: { gaveUpAfterMs: 3_000 } });
    expect(excuses.has(STEP)).toBe(true);
    expect(excuses.has({ ...STEP, subject: "langchain" })).toBe(false);
    expect(excuses.has({ ...STEP, fault: "slow" })).toBe(false);
  });

  test("is whoever had a problem twice: the first may have been the machine's", () => {
    const excuses = createExcuses();
    excuses.note(STEP, { figures: {}, problem: "It ended." });
    expect(excuses.has(STEP)).toBe(false);
    excuses.note(STEP, { figures: { readyMs: 1 } });
    expect(excuses.has(STEP)).toBe(false);
    excuses.note(STEP, { figures: {}, problem: "It ended." });
    expect(excuses.has(STEP)).toBe(true);
  });
});
