import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { loadSqlite } from "@jackfield/mcp-core/node";
import { expect, onTestFinished, test, vi } from "vitest";
import { sqliteToolCache } from "../src/index.ts";
import {
  recordingLogger,
  sampleEntry,
  sampleId,
  sampleServer,
  temporaryDirectory,
} from "./catalog-samples.ts";
import { startFixture } from "./child-process.ts";
import { openCache, withDatabase } from "./open-cache.ts";

const id = sampleId("files");
const later = sampleEntry({ listedAt: 2_000 });

/** Locks a catalog exclusively, as a program that copies or repairs it does. */
async function lockedCatalog(): Promise<{ directory: string; lock: DatabaseSync }> {
  const { cache, directory, file } = openCache();
  await cache.set(id, sampleEntry());
  await cache.close();
  const { DatabaseSync } = loadSqlite();
  const lock = new DatabaseSync(file);
  onTestFinished(() => {
    if (lock.isOpen) lock.close();
  });
  lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; SELECT count(*) FROM keyv");
  return { directory, lock };
}

test("reading a locked catalog is a logged miss, and works once it is free", async () => {
  const { directory, lock } = await lockedCatalog();
  const { cache, lines } = openCache(directory);
  expect(await cache.getMany([id])).toEqual(new Map());
  expect(lines).toEqual([expect.stringContaining("locked")]);
  lock.close();
  expect((await cache.getMany([id])).size).toBe(1);
});

test("a write waits for the lock without blocking the event loop", async () => {
  const { directory, lock } = await lockedCatalog();
  const { cache, lines } = openCache(directory);
  await cache.identify(sampleServer());
  const writing = cache.set(id, later);
  // The first attempt is over before the next turn of the event loop, which would not come if the write held it up.
  await new Promise((resolve) => setImmediate(resolve));
  lock.close();
  await writing;
  expect((await cache.getMany([id])).get(id)).toEqual(later);
  expect(lines).toEqual([]);
});

test("twenty writes that wait for a lock make one attempt per turn, and none blocks", async () => {
  const { file, cache, lines } = openCache();
  await cache.set(id, sampleEntry());
  const { DatabaseSync } = loadSqlite();
  const lock = new DatabaseSync(file);
  lock.exec("BEGIN IMMEDIATE");
  const statements = vi.spyOn(DatabaseSync.prototype, "prepare");
  const timeouts = vi.spyOn(DatabaseSync.prototype, "exec");
  onTestFinished(() => void vi.restoreAllMocks());
  const ids = Array.from({ length: 20 }, (_, index) => sampleId(`server-${index}`));
  const writes = Promise.all(ids.map((each) => cache.set(each, later)));
  const asked = () => statements.mock.calls.filter(([sql]) => sql.startsWith("INSERT")).length;
  while (asked() < 3) await new Promise((resolve) => setImmediate(resolve));
  const before = asked();
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked()).toBeLessThanOrEqual(before + 1);
  expect(timeouts.mock.calls.flat().filter((sql) => /busy_timeout = [1-9]/.test(sql))).toEqual([]);
  lock.close();
  await writes;
  expect((await cache.getMany(ids)).size).toBe(20);
  expect(lines).toEqual([]);
});

test("while another process repairs the catalog, a read misses and a write waits", async () => {
  const { cache, directory, file, lines } = openCache();
  await cache.set(id, sampleEntry());
  await cache.close();
  writeFileSync(file, "garbage".repeat(1_000));
  const { DatabaseSync } = loadSqlite();
  const repair = new DatabaseSync(join(directory, "repair.lock"));
  onTestFinished(() => {
    if (repair.isOpen) repair.close();
  });
  repair.exec("BEGIN EXCLUSIVE");
  const { cache: next, lines: said } = openCache(directory);
  expect(await next.getMany([id])).toEqual(new Map());
  expect(said).toEqual([expect.stringMatching(/repair\.lock is locked by another process/)]);
  let isWritten = false;
  const writing = next.set(id, later).then(() => {
    isWritten = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isWritten).toBe(false);
  repair.close();
  await writing;
  expect((await next.getMany([id])).get(id)).toEqual(later);
  expect(said.slice(1)).toEqual([
    expect.stringContaining("was deleted"),
    expect.stringContaining("works again"),
  ]);
  expect(lines).toEqual([]);
});

test("damage found during another process's repair is repaired on the next request", async () => {
  const { cache, directory, file } = openCache();
  await cache.set(id, sampleEntry());
  const { DatabaseSync } = loadSqlite();
  withDatabase(file, (database) => database.exec("DROP TABLE keyv; CREATE TABLE keyv (a)"));
  const repair = new DatabaseSync(join(directory, "repair.lock"));
  repair.exec("BEGIN EXCLUSIVE");
  expect(await cache.getMany([id])).toEqual(new Map());
  repair.close();
  expect(await cache.getMany([id])).toEqual(new Map());
  await cache.set(id, later);
  expect((await cache.getMany([id])).get(id)).toEqual(later);
});

test("a write that waits too long is logged, and the next write works", async () => {
  const { directory, lock } = await lockedCatalog();
  const { log, lines } = recordingLogger();
  const cache = sqliteToolCache({ path: directory, busyTimeoutMs: 1, log });
  onTestFinished(() => cache.close());
  await cache.set(id, later);
  expect(lines).toEqual([expect.stringContaining("could not be written")]);
  lock.close();
  await cache.set(id, later);
  expect((await cache.getMany([id])).get(id)).toEqual(later);
});

test("a new catalog can be read while another process writes it", async () => {
  const directory = temporaryDirectory();
  const child = startFixture("writing-process", [directory, "a", "300", "each"]);
  await once(child, "message");
  child.send("go");
  await once(child, "message");
  const { cache, lines } = openCache(directory);
  const exited = once(child, "exit");
  let running = true;
  void exited.then(() => {
    running = false;
  });
  let seen = 0;
  while (running) {
    const { length } = await cache.list();
    expect(length).toBeGreaterThanOrEqual(seen);
    seen = length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await cache.list()).toHaveLength(300);
  expect(lines).toEqual([]);
});
