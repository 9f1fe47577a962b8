import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleId, temporaryDirectory } from "./catalog-samples.ts";
import { startFixture } from "./child-process.ts";
import { openCache } from "./open-cache.ts";

interface Report {
  readonly id: string;
  readonly faults: readonly string[];
}

/** Lets processes write at the same time and returns what each of them reported. */
async function writeTogether(directory: string, names: readonly string[], count: number): Promise<Report[]> {
  const children = names.map((name) => startFixture("writing-process", [directory, name, String(count)]));
  await Promise.all(children.map((child) => once(child, "message")));
  const reports = children.map(async (child) => {
    const [report] = await once(child, "message");
    return report as Report;
  });
  for (const child of children) child.send("go");
  const exits = children.map((child) => once(child, "exit"));
  const answers = await Promise.all(reports);
  await Promise.all(exits);
  return answers;
}

/** Four processes that share a slow machine with other tests. */
const LONG_MS = 30_000;

test(
  "[R63] four processes that write 2,000 entries at once into a new catalog lose nothing and agree on the key",
  async () => {
    const directory = temporaryDirectory();
    const names = ["a", "b", "c", "d"];
    const reports = await writeTogether(directory, names, 500);
    expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
    expect(new Set(reports.map(({ id }) => id)).size).toBe(1);
    const ids = names.flatMap((name) =>
      Array.from({ length: 500 }, (_, index) => sampleId(`${name}-${index}`)),
    );
    const { cache, lines } = openCache(directory);
    expect((await cache.getMany(ids)).size).toBe(2_000);
    expect(lines).toEqual([]);
  },
  LONG_MS,
);

test("processes that meet a damaged catalog and a damaged key at once repair them once and lose nothing", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "catalog.sqlite"), "garbage".repeat(1_000));
  writeFileSync(join(directory, "identity.key"), "short");
  const reports = await writeTogether(directory, ["a", "b", "c"], 20);
  expect(new Set(reports.map((report) => report.id)).size).toBe(1);
  expect(reports.flatMap((report) => report.faults)).toEqual([expect.stringContaining("set aside")]);
  expect(await openCache(directory).cache.list()).toHaveLength(60);
  expect(readdirSync(directory).filter((name) => name.includes("corrupt"))).toHaveLength(2);
});

test.each([1, 2, 3, 7, 12, 31, 54, 90])(
  "[R62] a process that is killed while it writes, after %i entries, leaves everything it had stored and nothing else",
  async (moment) => {
    const directory = temporaryDirectory();
    const child = startFixture("writing-process", [directory, "a", "1000000", "each"]);
    await once(child, "message");
    const stored = await killAfter(child, moment);
    const { cache, lines } = openCache(directory);
    const ids = Array.from({ length: stored }, (_, index) => sampleId(`a-${index}`));
    expect((await cache.getMany(ids)).size).toBe(stored);
    const listed = await cache.list();
    expect((await cache.getMany(listed.map(({ id }) => id))).size).toBe(listed.length);
    expect(lines).toEqual([]);
  },
);

/** Kills a writing process, in the middle of whatever it does, once it has stored so many; tells how many it said it had. */
async function killAfter(child: ChildProcess, moment: number): Promise<number> {
  const exited = once(child, "exit");
  let stored = 0;
  child.on("message", (message: { stored: number }) => {
    stored = message.stored;
    if (stored >= moment) child.kill("SIGKILL");
  });
  child.send("go");
  await exited;
  return stored;
}
