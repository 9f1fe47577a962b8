import { describe, expect, test } from "vitest";
import { readCommandLine } from "../src/command-line.ts";

describe("readCommandLine", () => {
  test("the full run has seven rounds and no time limit, the quick run a limit", () => {
    const full = readCommandLine([]).settings;
    const quick = readCommandLine(["--quick"]).settings;
    expect(full).toMatchObject({ serverCounts: [1, 5, 20, 50], rounds: 7 });
    expect(full.budgetMs).toBeUndefined();
    expect(quick).toMatchObject({ serverCounts: [1, 20], rounds: 7, budgetMs: 270_000 });
  });

  test("--rounds sets the rounds and removes the time limit", () => {
    const { settings } = readCommandLine(["--quick", "--rounds", "9"]);
    expect(settings).toMatchObject({ serverCounts: [1, 20], rounds: 9 });
    expect(settings.budgetMs).toBeUndefined();
  });

  test("a leading -- from a package manager is ignored", () => {
    expect(readCommandLine(["--", "--json", "figures.json"]).json).toBe("figures.json");
  });

  test.each([["0"], ["-1"], ["2.5"], ["many"], [""]])("%j rounds are refused", (rounds) => {
    expect(() => readCommandLine([`--rounds=${rounds}`])).toThrow("--rounds takes a whole number");
  });

  test("each option sets its setting", () => {
    const { settings } = readCommandLine([
      ...["--only", "calls,curves", "--clients", "jackfield,mastra", "--servers", "20,1", "--minutes", "25"],
      ...["--calls", "7", "--large-calls", "3", "--concurrent-calls", "70", "--sizes", "10,1000"],
      ...[
        "--in-flight",
        "8",
        "--sessions",
        "100,1",
        "--tools",
        "50",
        "--long-rounds",
        "2",
        "--fault-servers",
        "4",
      ],
      ...["--growth-calls", "9", "--growth-reconnects", "5", "--patience-ms", "99", "--seed", "1"],
    ]);
    expect(settings).toMatchObject({
      measures: ["calls", "curves"],
      clients: ["jackfield", "mastra"],
      longClients: ["jackfield", "mastra"],
      serverCounts: [1, 20],
      budgetMs: 1_500_000,
      callSizes: { smallBytes: 10, largeBytes: 1_000, inFlight: 8 },
      sessionCounts: [1, 100],
      toolCounts: [50],
      longRounds: 2,
      faultServers: 4,
      growth: { calls: 9, reconnects: 5 },
      patienceMs: 99,
      seed: 1,
    });
    expect(settings.callCounts.stdio).toMatchObject({ sequential: 7, large: 3, concurrent: 70 });
    expect(settings.callCounts.everything).toMatchObject({ sequential: 7, large: 0, concurrent: 70 });
  });

  test("a quick run measures the workspace's clients and writes no results by default", () => {
    const { settings, results, isQuick } = readCommandLine(["--quick"]);
    expect(settings.clients).toEqual([
      "jackfield",
      "raw-sdk",
      "hand-written",
      "jackfield-ai-sdk",
      "jackfield-langchain",
    ]);
    expect({ results, isQuick }).toEqual({ results: undefined, isQuick: true });
    expect(readCommandLine(["--results", "there"]).results).toBe("there");
  });

  test.each([
    ["--only=everything", "--only does not know"],
    ["--clients=mine", "--clients does not know"],
    ["--servers=1,two", "--servers takes a whole number"],
  ])("%s is refused", (argument, reason) => {
    expect(() => readCommandLine([argument])).toThrow(reason);
  });

  test("an unknown option is refused", () => {
    expect(() => readCommandLine(["--fast"])).toThrow("--fast");
  });
});
