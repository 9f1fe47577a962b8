import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "./catalog-samples.ts";
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

test("two processes that write at once into a new catalog lose nothing and agree on the key", async () => {
  const directory = temporaryDirectory();
  const [one, two] = await writeTogether(directory, ["a", "b"], 150);
  expect([one?.faults, two?.faults]).toEqual([[], []]);
  expect(one?.id).toBe(two?.id);
  expect(await openCache(directory).cache.list()).toHaveLength(300);
});

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

test("a process that is killed while it writes leaves a readable catalog with everything it had stored", async () => {
  const directory = temporaryDirectory();
  const child = startFixture("writing-process", [directory, "a", "1000000", "50"]);
  await once(child, "message");
  const writing = once(child, "message");
  child.send("go");
  await writing;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  const { cache, lines } = openCache(directory);
  const kept = await cache.list();
  expect(kept.length).toBeGreaterThanOrEqual(50);
  expect((await cache.getMany(kept.map((summary) => summary.id))).size).toBe(kept.length);
  expect(lines).toEqual([]);
});
