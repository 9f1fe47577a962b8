import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sampleEntry, sampleId, sampleTool, temporaryDirectory } from "./catalog-samples.ts";
import { openCache, withDatabase } from "./open-cache.ts";

const id = sampleId("files");
const posix = process.platform !== "win32";

/** A directory with the closed catalog of many servers, several pages long. */
async function filledDirectory(): Promise<{ directory: string; file: string }> {
  const { cache, directory, file } = openCache();
  for (let index = 0; index < 30; index += 1) {
    const tools = [sampleTool("read", "x".repeat(3_000))];
    await cache.set(sampleId(`server-${index}`), sampleEntry({ tools }));
  }
  await cache.close();
  return { directory, file };
}

/** Checks that a catalog in this state stores and finds an entry, also after a reopen. */
async function expectUsable(directory: string): Promise<string[]> {
  const { cache, lines } = openCache(directory);
  await cache.set(id, sampleEntry());
  expect((await cache.getMany([id])).size).toBe(1);
  await cache.close();
  expect((await openCache(directory).cache.getMany([id])).size).toBe(1);
  return lines;
}

/** The files of a directory, without those that SQLite keeps beside an open database. */
function namesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .sort();
}

describe("a file that is not a catalog is deleted for an empty catalog", () => {
  test("garbage", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "catalog.sqlite"), "This is not a database. ".repeat(200));
    const lines = await expectUsable(directory);
    expect(lines).toEqual([expect.stringContaining("it was deleted and starts empty")]);
    expect(namesIn(directory)).toEqual(["catalog.sqlite", "identity.key", "repair.lock"]);
  });

  test.each([
    ["another program's database", "CREATE TABLE keyv (a)"],
    ["a database with another application id", "PRAGMA application_id = 7; CREATE TABLE t (a)"],
  ])("except %s, which stays: the catalog works in memory, with one warning", async (_what, made) => {
    const directory = temporaryDirectory();
    const file = join(directory, "catalog.sqlite");
    withDatabase(file, (database) => database.exec(made));
    const before = readFileSync(file);
    const { cache, lines } = openCache(directory);
    await cache.set(id, sampleEntry());
    expect((await cache.getMany([id])).size).toBe(1);
    expect(lines).toEqual([expect.stringContaining("is the database of another program")]);
    await cache.close();
    expect(readFileSync(file)).toEqual(before);
  });

  test("except a folder, which stays: the catalog works in memory, with one warning", async () => {
    const directory = temporaryDirectory();
    const file = join(directory, "catalog.sqlite");
    mkdirSync(join(file, "sub"), { recursive: true });
    const { cache, lines } = openCache(directory);
    await cache.set(id, sampleEntry());
    expect((await cache.getMany([id])).size).toBe(1);
    expect(lines).toEqual([expect.stringContaining("catalog.sqlite is not a file")]);
    expect(readdirSync(file)).toEqual(["sub"]);
  });

  test.runIf(posix)("a symlink, without touching its target", async () => {
    const directory = temporaryDirectory();
    const target = join(temporaryDirectory(), "elsewhere.sqlite");
    writeFileSync(target, "");
    symlinkSync(target, join(directory, "catalog.sqlite"));
    await expectUsable(directory);
    expect(statSync(target).size).toBe(0);
  });

  test.runIf(posix)("a symlink in place of a companion file, without touching its target", async () => {
    const { directory, file } = await filledDirectory();
    const target = join(temporaryDirectory(), "notes.txt");
    writeFileSync(target, "important");
    symlinkSync(target, `${file}-wal`);
    await expectUsable(directory);
    expect(readFileSync(target, "utf8")).toBe("important");
    expect(lstatSync(`${file}-wal`, { throwIfNoEntry: false })?.isSymbolicLink()).not.toBe(true);
  });

  test.each(["", "x"])("except an almost empty file (%j), which is used", async (content) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "catalog.sqlite"), content, { mode: 0o600 });
    expect(await expectUsable(directory)).toEqual([]);
  });

  test("again and again, and nothing piles up", async () => {
    const directory = temporaryDirectory();
    for (let round = 0; round < 3; round += 1) {
      writeFileSync(join(directory, "catalog.sqlite"), "garbage".repeat(100));
      await expectUsable(directory);
    }
    expect(namesIn(directory)).toEqual(["catalog.sqlite", "identity.key", "repair.lock"]);
  });
});

describe("a damaged catalog", () => {
  test.each([100, 4_000, 4_096, 8_192, 40_000])(
    "works again after it was truncated to %i bytes",
    async (length) => {
      const { directory, file } = await filledDirectory();
      truncateSync(file, length);
      const { cache } = openCache(directory);
      await cache.getMany([sampleId("server-1"), sampleId("server-29")]);
      await cache.list();
      await cache.close();
      await expectUsable(directory);
    },
  );

  test("is deleted on first use if its pages are overwritten", async () => {
    const { directory, file } = await filledDirectory();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4_096);
    writeFileSync(file, bytes);
    const { cache, lines } = openCache(directory);
    expect(await cache.getMany([sampleId("server-1")])).toEqual(new Map());
    await cache.set(id, sampleEntry());
    expect((await cache.getMany([id])).size).toBe(1);
    expect(lines.filter((line) => line.includes("was deleted"))).toHaveLength(1);
  });

  test("is deleted and works again if it is damaged while in use", async () => {
    const { cache, file, lines } = openCache();
    const ids = Array.from({ length: 30 }, (_, index) => sampleId(`server-${index}`));
    for (const each of ids)
      await cache.set(each, sampleEntry({ tools: [sampleTool("a", "x".repeat(3_000))] }));
    withDatabase(file, (database) => {
      database.exec("UPDATE keyv SET expires = NULL; PRAGMA wal_checkpoint(TRUNCATE)");
    });
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xa5, 4_096));
    await cache.getMany(ids);
    await cache.list();
    await cache.set(id, sampleEntry());
    expect((await cache.getMany([id])).size).toBe(1);
    expect(lines.some((line) => line.includes("was deleted"))).toBe(true);
  });

  test.each([
    "CREATE TABLE keyv (id TEXT, body TEXT)",
    "CREATE TABLE keyv (key TEXT, value TEXT, expires BIGINT)",
  ])("is deleted on first use if its table is another one: %s", async (statement) => {
    const { directory, file } = await filledDirectory();
    withDatabase(file, (database) => database.exec(`DROP TABLE keyv; ${statement}`));
    const { cache, lines } = openCache(directory);
    expect(await cache.getMany([id])).toEqual(new Map());
    expect(lines.filter((line) => line.includes("was deleted"))).toHaveLength(1);
    await cache.close();
    expect(await expectUsable(directory)).toEqual([]);
  });

  const PARTS = 8;
  test.each(Array.from({ length: PARTS }, (_, part) => part))(
    "[T73] [R65] never throws and never serves a changed entry, wherever bytes are overwritten (part %i)",
    async (part) => {
      const filled = await filledDirectory();
      const good = readFileSync(filled.file);
      const ids = Array.from({ length: 30 }, (_, index) => sampleId(`server-${index}`));
      const untouched = sampleEntry({ tools: [sampleTool("read", "x".repeat(3_000))] });
      const step = 1_021;
      for (let offset = part * step; offset < good.length; offset += PARTS * step) {
        const directory = temporaryDirectory();
        copyFileSync(join(filled.directory, "identity.key"), join(directory, "identity.key"));
        writeFileSync(join(directory, "catalog.sqlite"), Buffer.from(good).fill(0xff, offset, offset + 16));
        const { cache } = openCache(directory);
        for (const entry of (await cache.getMany(ids)).values()) expect(entry).toEqual(untouched);
        await cache.close();
        await expectUsable(directory);
      }
    },
  );
});
