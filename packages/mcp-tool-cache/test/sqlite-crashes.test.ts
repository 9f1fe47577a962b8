import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sqliteToolCache } from "../src/index.ts";
import { recordingLogger, sampleId, temporaryDirectory } from "./catalog-samples.ts";
import { startFixture } from "./child-process.ts";
import { openCache } from "./open-cache.ts";

const IDS = ["a", "b", "c", "d", "e"];
const FILES = ["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm", "identity.key"];

/** A writing process, and for each entry the last listing it reported as stored. */
interface Writer {
  readonly child: ChildProcess;
  readonly stored: Map<string, number>;
}

async function startWriter(directory: string): Promise<Writer> {
  const child = startFixture("rewriting-process", [directory, IDS.join()]);
  await once(child, "message");
  const stored = new Map<string, number>();
  child.on("message", ({ id, listedAt }: { id: string; listedAt: number }) => stored.set(id, listedAt));
  child.send("go");
  while (stored.size < IDS.length) await once(child, "message");
  return { child, stored };
}

/** Checks that a directory holds every stored entry, whole, and causes no warning. */
async function expectIntact(directory: string, stored: ReadonlyMap<string, number>): Promise<void> {
  const { log, lines } = recordingLogger();
  await using cache = sqliteToolCache({ path: directory, log });
  const entries = await cache.getMany(IDS.map(sampleId));
  for (const [id, listedAt] of stored) {
    const entry = entries.get(sampleId(id));
    expect(entry?.listedAt).toBeGreaterThanOrEqual(listedAt);
    expect(entry?.tools?.[0]?.name).toBe(`at-${entry?.listedAt}`);
    expect(entry?.tools?.[0]?.inputSchema.title).toMatch(
      new RegExp(`^listed at ${entry?.listedAt} x{1000}$`),
    );
  }
  expect(lines).toEqual([]);
}

/** Resumes a stopped process for a random moment, then stops it in the middle of its work. */
async function stopLater(child: ChildProcess): Promise<void> {
  child.kill("SIGCONT");
  await once(child, "message");
  for (let turns = Math.floor(Math.random() * 20); turns > 0; turns -= 1)
    await new Promise((resolve) => setImmediate(resolve));
  child.kill("SIGSTOP");
  const stopped = /\) [TZ] /; // Or dead: then the next message never comes.
  while (!stopped.test(readFileSync(`/proc/${child.pid}/stat`, "latin1"))); // at the kernel's next chance: microseconds
}

const PARTS = 40;
const POINTS_OF_A_PART = 13;

// A killed process leaves what its files hold at that moment. Stopping it, copying them and letting it go on gives any number of
// such moments without a new process for each.
describe.runIf(process.platform === "linux")("[R62] a process that dies while it writes", () => {
  test.each(Array.from({ length: PARTS }, (_, part) => part + 1))(
    `[R62] loses nothing it had stored, at ${POINTS_OF_A_PART} random moments (part %i of ${PARTS})`,
    async () => {
      const directory = temporaryDirectory();
      const copy = temporaryDirectory();
      const { child, stored } = await startWriter(directory);
      for (let point = 0; point < POINTS_OF_A_PART; point += 1) {
        await stopLater(child);
        for (const name of FILES) copyFreshly(join(directory, name), join(copy, name));
        await expectIntact(copy, stored);
      }
    },
  );
});

test.each([1, 7, 31, 90])(
  "[R62] a writing process killed after %i listings loses nothing it had stored",
  async (moment) => {
    const directory = temporaryDirectory();
    const { child, stored } = await startWriter(directory);
    const exited = once(child, "exit");
    while ((stored.get("a") ?? 0) < moment) await once(child, "message");
    child.kill("SIGKILL");
    await exited;
    await expectIntact(directory, stored);
    const { cache } = openCache(directory);
    const entry = { server: "a", credentials: "c", listedAt: 1_000_000, tools: [] };
    await cache.set(sampleId("a"), entry);
    expect((await cache.getMany([sampleId("a")])).get(sampleId("a"))?.listedAt).toBe(1_000_000);
  },
);

function copyFreshly(from: string, to: string): void {
  rmSync(to, { force: true });
  if (existsSync(from)) copyFileSync(from, to);
}
