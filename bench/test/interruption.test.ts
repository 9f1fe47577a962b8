import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const BENCH = fileURLToPath(new URL("./fixtures/small-bench.ts", import.meta.url));
const TIMEOUT_MS = 60_000;

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

test.each(["jackfield", "raw-sdk", "hand-written"])(
  "the bench leaves no process and no file when interrupted while measuring %s",
  async (subject) => {
    const folder = mkdtempSync(join(tmpdir(), "bench-interruption-"));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    // Every client hands the path on, so it marks all processes of this run.
    const env = { ...process.env, TMPDIR: folder, PATH: `${process.env.PATH}${delimiter}${folder}` };
    const args = [BENCH, "--clients", subject];
    const bench = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    cleanUps.push(() => bench.kill("SIGKILL"));
    const closed = once(bench, "close");
    for await (const line of createInterface(bench.stderr)) {
      if (line.startsWith("round") && line.endsWith(`, ${subject}`)) bench.kill("SIGINT");
    }
    expect(await closed).toEqual([130, null]);
    expect(readdirSync(folder)).toEqual([]);
    // A server that has lost its client exits by itself, without a signal to wait for.
    await expect.poll(() => processesMarkedWith(folder), { timeout: TIMEOUT_MS / 2 }).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "the bench saves and prints what it measured before an interruption",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "bench-interruption-"));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    const args = ["--only", "start", "--clients", "hand-written", "--rounds", "1000", "--results", folder];
    const bench = spawn(process.execPath, [BENCH, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    cleanUps.push(() => bench.kill("SIGKILL"));
    const closed = once(bench, "close");
    const printed = text(bench.stdout);
    for await (const line of createInterface(bench.stderr)) {
      if (line.startsWith("round 3 of")) bench.kill("SIGINT");
    }
    expect(await closed).toEqual([130, null]);
    expect(await printed).toContain("cold start, 1 server");
    const [file = "", ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    const results = JSON.parse(readFileSync(join(folder, file), "utf8"));
    expect(results.isComplete).toBe(false);
    const rounds = results.recordings.map(({ round }: { round: number }) => round);
    expect(rounds).toEqual(expect.arrayContaining([1, 2]));
  },
  TIMEOUT_MS,
);

/** The ids of processes with the mark in their environment; none where there is no `/proc`. */
function processesMarkedWith(mark: string): string[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
    } catch {
      return false; // it has ended meanwhile
    }
  });
}
