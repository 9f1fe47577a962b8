import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RealWorld } from "./real-world.ts";
import { ReferenceModel } from "./reference-model.ts";
import { definitions, expectAgreement, steps } from "./schedule-step.ts";

const { numRuns, seed = Math.floor(Math.random() * 2 ** 31) } = casesOf(400, 20_000);
const SCHEDULES = Number(process.env.JACKFIELD_SCHEDULES ?? numRuns);
/** Runs the schedules of an earlier run again. */
const SEED = Number(process.env.JACKFIELD_SEED ?? seed);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});
afterEach(() => void vi.useRealTimers());

describe("a manager of three servers", () => {
  it("[R49] agrees with the reference model in every random schedule of events", async () => {
    process.stdout.write(`${SCHEDULES} schedules, JACKFIELD_SEED=${SEED}\n`);
    const schedule = fc.commands(steps, { maxCommands: 30, size: "max" });
    const property = fc.asyncProperty(definitions, schedule, async (given, commands) => {
      vi.clearAllTimers(); // Timers left by a failed schedule must not fail its shrunk forms.
      const world = new RealWorld(given);
      const model = new ReferenceModel(given);
      await fc.asyncModelRun(() => ({ model, real: world }), commands);
      await endAll(model, world);
    });
    await fc.assert(property, { numRuns: SCHEDULES, seed: SEED, endOnFailure: false });
  });
});

/** Closes both, and expects that no session is open and every promise has settled. */
async function endAll(model: ReferenceModel, world: RealWorld): Promise<void> {
  if (model.phase !== "closed") {
    world.close();
    model.close();
  }
  world.releaseHolds();
  model.releaseHolds();
  await world.settle();
  expectAgreement(model, world);
  expect(world.leftovers()).toEqual([]);
}
