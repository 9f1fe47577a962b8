import { describe, expect, test } from "vitest";
import { readCommandLine } from "../src/command-line.ts";

describe("readCommandLine", () => {
  test("the full run has seven rounds and no limit in time, the quick one has fewer of them and a limit", () => {
    const full = readCommandLine([]).settings;
    const quick = readCommandLine(["--quick"]).settings;
    expect(full).toMatchObject({ serverCounts: [1, 5, 20, 50], rounds: 7 });
    expect(full.budgetMs).toBeUndefined();
    expect(quick).toMatchObject({ serverCounts: [1, 5, 20], rounds: 5, budgetMs: 75_000 });
  });

  test("rounds that are asked for are made, whatever the time", () => {
    const { settings } = readCommandLine(["--quick", "--rounds", "9"]);
    expect(settings).toMatchObject({ serverCounts: [1, 5, 20], rounds: 9 });
    expect(settings.budgetMs).toBeUndefined();
  });

  test("a package manager's separator is passed over", () => {
    expect(readCommandLine(["--", "--json", "figures.json"]).json).toBe("figures.json");
  });

  test.each([["0"], ["-1"], ["2.5"], ["many"], [""]])("%j rounds are refused", (rounds) => {
    expect(() => readCommandLine([`--rounds=${rounds}`])).toThrow("--rounds takes a whole number");
  });

  test("an option that does not exist is refused", () => {
    expect(() => readCommandLine(["--fast"])).toThrow("--fast");
  });
});
