import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";

const BENCH = fileURLToPath(new URL("./fixtures/small-bench.ts", import.meta.url));
const TIMEOUT_MS = 60_000;

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

test.each(["jackfield", "raw-sdk", "hand-written"])(
  "stopped while it measures %s, the bench leaves no process and no file behind",
  async (subject) => {
    const folder = mkdtempSync(join(tmpdir(), "bench-interruption-"));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    // Every client hands the path on, so it marks all processes of this run.
    const env = { ...process.env, TMPDIR: folder, PATH: `${process.env.PATH}${delimiter}${folder}` };
    const bench = spawn(process.execPath, [BENCH], { env, stdio: ["ignore", "ignore", "pipe"] });
    cleanUps.push(() => bench.kill("SIGKILL"));
    const closed = once(bench, "close");
    for await (const line of createInterface(bench.stderr)) {
      if (line.startsWith("round") && line.endsWith(`, ${subject}`)) bench.kill("SIGINT");
    }
    expect(await closed).toEqual([130, null]);
    expect(readdirSync(folder)).toEqual([]);
    // A server that lost its client ends by itself, which nobody is told of.
    await expect.poll(() => processesMarkedWith(folder), { timeout: TIMEOUT_MS / 2 }).toEqual([]);
  },
  TIMEOUT_MS,
);

/** Where there is no `/proc`, nothing is known of other processes. */
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
