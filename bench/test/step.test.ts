import { describe, expect, test } from "vitest";
import { FULL, QUICK } from "../src/settings.ts";
import { seededRandom } from "../src/shuffle.ts";
import { scenarioOf, stepsOfRound } from "../src/step.ts";

const SETTINGS = { ...QUICK, serverCounts: [1, 5] };

describe("stepsOfRound", () => {
  test("has every subject of a scenario once", () => {
    const scenarios = Object.groupBy(stepsOfRound(SETTINGS, 1, seededRandom(1)), scenarioOf);
    const connecting = ["hand-written", "jackfield", "raw-sdk"];
    const clients = ["hand-written", "jackfield", "jackfield-ai-sdk", "jackfield-langchain", "raw-sdk"];
    const starters = ["bare-node", "hand-written", "jackfield", "jackfield-catalog", "raw-sdk"];
    const subjects = Object.entries(scenarios).map(([scenario, steps = []]) => [
      scenario,
      steps.map(({ subject }) => subject).sort(),
    ]);
    expect(Object.fromEntries(subjects)).toEqual({
      "start 1": starters,
      "start 5": starters,
      "calls stdio": clients,
      "calls http-json": clients,
      "calls http-sse": clients,
      "start 20, one hangs": [...connecting, "jackfield-catalog"].sort(),
      "memory of sessions": connecting,
      "memory of tools": connecting,
      "growth over calls": ["jackfield"],
      "growth over reconnects": ["jackfield"],
      "curve of servers": ["jackfield"],
      "curve of tools": ["jackfield"],
      "curve of bytes": ["jackfield"],
      "curve of in flight": ["jackfield"],
    });
  });

  test("puts the subjects of a scenario directly after each other", () => {
    const scenarios = stepsOfRound(SETTINGS, 1, seededRandom(1)).map(scenarioOf);
    const changes = scenarios.filter((scenario, index) => scenario !== scenarios[index - 1]);
    expect(changes).toHaveLength(new Set(scenarios).size);
  });

  test("puts each subject first in some round", () => {
    const random = seededRandom(1);
    const firsts = Array.from({ length: 30 }, () => {
      const steps = stepsOfRound(SETTINGS, 1, random);
      return steps.find((step) => scenarioOf(step) === "calls stdio")?.subject;
    });
    expect(new Set(firsts)).toEqual(new Set(QUICK.clients));
  });

  test("has long steps in the first rounds only, and growth in the first one", () => {
    const kinds = (round: number) => {
      const steps = stepsOfRound({ ...FULL, longRounds: 2 }, round, seededRandom(1));
      const hasFault = (step: (typeof steps)[number]) => step.kind === "start" && step.fault;
      return new Set(steps.map((step) => hasFault(step) || step.kind));
    };
    expect([...kinds(1)]).toEqual(
      expect.arrayContaining(["growth", "curve", "slow", "hang", "start", "calls"]),
    );
    expect([...kinds(2)]).toEqual(expect.arrayContaining(["curve", "slow"]));
    expect(kinds(2)).not.toContain("growth");
    expect(kinds(3)).not.toContain("curve");
    expect(kinds(3)).not.toContain("slow");
    expect([...kinds(3)]).toEqual(expect.arrayContaining(["hang", "start", "calls", "memory", "recovery"]));
  });

  test("has only calls for an adapter, and warm starts for a client with a catalog", () => {
    const steps = stepsOfRound(FULL, 1, seededRandom(1));
    const scenarios = steps.filter(({ subject }) => subject === "jackfield-ai-sdk").map(({ kind }) => kind);
    expect(new Set(scenarios)).toEqual(new Set(["calls"]));
    const warm = steps.filter(({ subject }) => subject === "mastra-catalog").map(scenarioOf);
    expect(warm).toContain("start 20, one hangs");
  });
});
