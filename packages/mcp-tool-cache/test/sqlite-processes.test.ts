import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatalogId } from "@jackfield/mcp-core";
import { afterAll, describe, expect, test } from "vitest";
import { sampleId, temporaryDirectory } from "./catalog-samples.ts";
import { startFixture } from "./child-process.ts";
import { openCache } from "./open-cache.ts";

interface Report {
  readonly id: string;
  readonly faults: readonly string[];
}

/** Lets processes write at the same time, and returns the report of each. */
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

describe("[R63] four processes that write to one catalog at once", () => {
  const directory = mkdtempSync(join(tmpdir(), "jackfield-catalog-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const written: CatalogId[] = [];
  const keys = new Set<string>();

  test.each(Array.from({ length: 10 }, (_, step) => (step + 1) * 200))(
    "[R63] lose nothing and agree on the key, up to %i entries",
    async (total) => {
      const names = ["a", "b", "c", "d"].map((name) => `${name}-${total}`);
      const reports = await writeTogether(directory, names, 50);
      expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
      for (const { id } of reports) keys.add(id);
      expect(keys.size).toBe(1);
      for (const name of names)
        written.push(...Array.from({ length: 50 }, (_, index) => sampleId(`${name}-${index}`)));
      const { cache, lines } = openCache(directory);
      expect((await cache.getMany(written)).size).toBe(written.length);
      expect(lines).toEqual([]);
    },
  );
});

test("concurrent processes repair a damaged catalog and key once and lose nothing", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "catalog.sqlite"), "garbage".repeat(1_000));
  writeFileSync(join(directory, "identity.key"), "short");
  const reports = await writeTogether(directory, ["a", "b", "c"], 20);
  expect(new Set(reports.map((report) => report.id)).size).toBe(1);
  expect(reports.flatMap((report) => report.faults).toSorted()).toEqual([
    expect.stringMatching(/^The key of the tool catalog .* was replaced/),
    expect.stringMatching(/^The tool catalog was unusable; it was deleted/),
  ]);
  expect(await openCache(directory).cache.list()).toHaveLength(60);
});
