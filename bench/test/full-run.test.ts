import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { Figures } from "../src/measurement.ts";
import type { Recording } from "../src/recording.ts";
import { MEASURES } from "../src/settings.ts";

const BENCH = fileURLToPath(new URL("./fixtures/small-bench.ts", import.meta.url));
const TIMEOUT_MS = 300_000;
const CLIENTS = ["jackfield", "raw-sdk"];

const folder = mkdtempSync(join(tmpdir(), "bench-full-run-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// It starts every client and every server several times, which takes minutes: `pnpm soak` does it every night.
describe.skipIf(process.env.JACKFIELD_SOAK === undefined)("a full run with few calls", () => {
  test(
    "measures each scenario, prints the report and writes the result files",
    async () => {
      const args = [
        "--rounds",
        "1",
        "--only",
        MEASURES.join(),
        "--clients",
        CLIENTS.join(),
        "--patience-ms",
        "500",
      ];
      const bench = spawn(process.execPath, [BENCH, ...args, "--results", folder], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const closed = once(bench, "close");
      const report = await text(bench.stdout);
      expect(await closed).toEqual([0, null]);
      expect(report).not.toContain("PROBLEMS");
      expect(readdirSync(folder).sort()).toEqual([
        expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d-\d\d\.json$/),
        "latest.json",
        "latest.svg",
        "latest.txt",
      ]);
      expect(readFileSync(join(folder, "latest.txt"), "utf8")).toBe(report);
      expectFigures(JSON.parse(readFileSync(join(folder, "latest.json"), "utf8")));
    },
    TIMEOUT_MS,
  );
});

function expectFigures({ recordings, isComplete }: { recordings: Recording[]; isComplete: boolean }): void {
  const figures = (scenario: string, subject: string): Figures | undefined =>
    recordings.find((one) => one.scenario === scenario && one.subject === subject)?.figures;
  expect(isComplete).toBe(true);
  for (const client of CLIENTS) {
    expect(figures("start 1", client)).toMatchObject({ startedEach: 1, startedBeforeReady: 1 });
    expect(figures("start 2, one slow", client)?.readyMs).toBeGreaterThan(100);
    for (const transport of ["stdio", "http-json", "http-sse", "everything"])
      expect(figures(`calls ${transport}`, client)).toHaveProperty("callsPerSecond");
    expect(figures("memory of 3 sessions", client)).toHaveProperty("sessionsMib");
    expect(figures("memory of 20 tools", client)).toHaveProperty("toolsMib");
    expect(figures("growth over calls", client)).toHaveProperty("heapMib");
    expect(figures("growth over reconnects", client)).toHaveProperty("heapMib");
    for (const point of ["servers 2", "tools 20", "bytes 10000", "in flight 8"])
      expect(figures(`curve of ${point}`, client)).toHaveProperty("pointMs");
  }
  expect(figures("start 2, one hangs", "raw-sdk")).toEqual({ gaveUpAfterMs: 500 });
  expect(figures("recovery from kill", "raw-sdk")).toMatchObject({ gaveUpAfterMs: 500 });
  expect(figures("recovery from session", "raw-sdk")).toMatchObject({ gaveUpAfterMs: 500 });
  expect(figures("known servers", "bare-node")).toHaveProperty("readyMs");
  expect(figures("discovery of 300", "bare-node")).toHaveProperty("readyMs");
  expect(figures("discovery of 300", "discovery")).toHaveProperty("readyMs");
}
