import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { sqliteToolCache } from "../src/index.ts";
import { recordingLogger, sampleEntry, sampleId, sampleTool, temporaryDirectory } from "./catalog-samples.ts";
import { openCache, withDatabase } from "./open-cache.ts";

const DAY = 86_400_000;

function largeEntry(server: string, bytes: number) {
  return sampleEntry({ server, listedAt: Date.now(), tools: [sampleTool("t", "x".repeat(bytes))] });
}

function bytesIn(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

function rowsOf(file: string): number {
  return withDatabase(file, (database) =>
    Number(database.prepare("SELECT count(*) AS n FROM keyv").get()?.n),
  );
}

describe("the size of the catalog", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_900_000_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("shrinks when the first write after a reopen removes expired entries", async () => {
    const first = openCache();
    for (let index = 0; index < 20; index += 1) {
      await first.cache.set(sampleId(`old-${index}`), largeEntry(`old-${index}`, 50_000));
    }
    await first.cache.close();
    const before = bytesIn(first.directory);
    vi.setSystemTime(Date.now() + 31 * DAY);
    const second = openCache(first.directory);
    await second.cache.set(sampleId("new"), sampleEntry({ listedAt: Date.now() }));
    await second.cache.close();
    expect(rowsOf(first.file)).toBe(1);
    expect(bytesIn(first.directory)).toBeLessThan(before / 10);
  });

  test("[T81] stays within maxBytes by dropping the entries that expire first", async () => {
    const path = temporaryDirectory();
    const { log, lines } = recordingLogger();
    const maxBytes = 1024 * 1024;
    const cache = sqliteToolCache({ path, log, maxBytes });
    onTestFinished(() => cache.close());
    for (let index = 0; index < 60; index += 1) {
      vi.setSystemTime(Date.now() + 1_000);
      await cache.set(sampleId(`s-${index}`), largeEntry(`s-${index}`, 50_000));
    }
    const kept = (await cache.list()).map(({ server }) => Number(server.slice(2))).sort((a, b) => a - b);
    expect(kept.length).toBeGreaterThan(15);
    expect(kept.at(-1)).toBe(59);
    expect(kept).toEqual(kept.map((_, index) => 60 - kept.length + index));
    await cache.close();
    expect(statSync(join(path, "catalog.sqlite")).size).toBeLessThanOrEqual(maxBytes);
    expect(lines).toEqual([]);
  });

  test("is emptied by the first change if maxBytes is 0", async () => {
    const { cache, directory } = openCache();
    await cache.set(sampleId("one"), largeEntry("one", 10));
    await cache.set(sampleId("two"), largeEntry("two", 10));
    await cache.close();
    const emptied = sqliteToolCache({ path: directory, maxBytes: 0 });
    await emptied.delete(sampleId("none"));
    await emptied.close();
    expect(await openCache(directory).cache.list()).toEqual([]);
  });

  test("[T81] excludes an entry of more than 16 MiB", async () => {
    const { cache, lines } = openCache();
    const id = sampleId("bomb");
    await cache.set(id, largeEntry("bomb", 17 * 1024 * 1024));
    expect(await cache.getMany([id])).toEqual(new Map());
    expect(lines).toEqual([expect.stringContaining('"server":"bomb"')]);
  });

  test("stays small in the write-ahead log while the catalog is open", async () => {
    const { cache, file } = openCache();
    for (let round = 0; round < 40; round += 1) {
      await cache.set(sampleId("one"), { ...largeEntry("one", 400_000), listedAt: round });
    }
    expect(statSync(`${file}-wal`).size).toBeLessThan(8 * 1024 * 1024);
    expect(statSync(file).size).toBeLessThan(2 * 1024 * 1024);
  });
});
