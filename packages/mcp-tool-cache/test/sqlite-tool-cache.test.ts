import { existsSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sampleEntry, sampleId, sampleServer, sampleTool, temporaryDirectory } from "./catalog-samples.ts";
import { runFixture } from "./child-process.ts";
import { openCache, withDatabase } from "./open-cache.ts";

const id = sampleId("files");

describe("a catalog on disk", () => {
  test("returns the stored entry unchanged after a reopen", async () => {
    const { cache, directory } = openCache();
    const entry = sampleEntry({ instructions: "Be brief.", prior: { era: "legacy", at: Date.now() } });
    await cache.set(id, entry);
    await cache.close();
    const next = openCache(directory);
    expect(await next.cache.getMany([id])).toEqual(new Map([[id, entry]]));
    expect(next.lines).toEqual([]);
  });

  test("identifies a server the same after a reopen, differently in another directory", async () => {
    const { cache, directory } = openCache();
    const server = sampleServer({ secrets: ["/srv"] });
    const identity = await cache.identify(server);
    await cache.close();
    expect(await openCache(directory).cache.identify(server)).toEqual(identity);
    expect(await openCache().cache.identify(server)).not.toEqual(identity);
  });

  test("leaves unknown ids out of getMany", async () => {
    const { cache } = openCache();
    await cache.set(id, sampleEntry());
    expect([...(await cache.getMany([sampleId("none"), id, id])).keys()]).toEqual([id]);
    expect(await cache.getMany([])).toEqual(new Map());
  });

  test("lists its entries", async () => {
    const { cache } = openCache();
    await cache.set(id, sampleEntry());
    await cache.set(sampleId("mail"), sampleEntry({ server: "mail", tools: undefined, stale: true }));
    expect((await cache.list()).toSorted((a, b) => a.server.localeCompare(b.server))).toEqual([
      { id, server: "files", tools: 1, listedAt: 1_000, stale: false },
      { id: sampleId("mail"), server: "mail", tools: 0, listedAt: 1_000, stale: true },
    ]);
  });

  test("marks an entry stale and ignores an unknown id", async () => {
    const { cache } = openCache();
    await cache.set(id, sampleEntry());
    await cache.markStale(id);
    await cache.markStale(sampleId("none"));
    expect(await cache.getMany([id, sampleId("none")])).toEqual(
      new Map([[id, sampleEntry({ stale: true })]]),
    );
  });

  test("deletes one entry and no other", async () => {
    const { cache, lines } = openCache();
    await cache.set(id, sampleEntry());
    await cache.set(sampleId("mail"), sampleEntry());
    await cache.delete(id);
    await cache.delete(sampleId("none"));
    expect((await cache.list()).map((summary) => summary.id)).toEqual(["mail"]);
    expect(lines).toEqual([]);
  });

  test("[L13] does not change when a stored or returned object is changed", async () => {
    const { cache } = openCache();
    const tool = sampleTool("read");
    const storing = cache.set(id, sampleEntry({ tools: [tool] }));
    tool.description = "changed while it was stored";
    await storing;
    const given = (await cache.getMany([id])).get(id)?.tools?.[0];
    if (given) given.name = "changed after it was read";
    expect((await cache.getMany([id])).get(id)).toEqual(sampleEntry());
  });

  test("keeps 600 entries apart and lists all of them", async () => {
    const { cache } = openCache();
    const ids = Array.from({ length: 600 }, (_, index) => sampleId(`server-${index}`));
    await Promise.all(ids.map((each) => cache.set(each, sampleEntry({ server: each }))));
    const found = await cache.getMany(ids);
    expect(ids.every((each) => found.get(each)?.server === each)).toBe(true);
    expect(await cache.list()).toHaveLength(600);
  });
});

describe("concurrent writes to a catalog on disk", () => {
  test("keep the newest listing, whatever their order", async () => {
    const { cache } = openCache();
    const times = [5, 3, 9, 1, 9, 2, 8, 7, 4, 6];
    await Promise.all(
      times.map((listedAt) =>
        cache.set(id, sampleEntry({ listedAt, tools: [sampleTool(`at-${listedAt}`)] })),
      ),
    );
    expect((await cache.getMany([id])).get(id)?.tools?.[0]?.name).toBe("at-9");
  });

  test("keep a newer listing when another cache writes an older one", async () => {
    const { cache, directory } = openCache();
    await cache.set(id, sampleEntry({ listedAt: 2_000 }));
    await openCache(directory).cache.set(id, sampleEntry({ listedAt: 1_000, tools: [sampleTool("old")] }));
    expect((await cache.getMany([id])).get(id)?.listedAt).toBe(2_000);
  });

  test("apply a stale mark to the entry written just before", async () => {
    const { cache } = openCache();
    await Promise.all([cache.set(id, sampleEntry()), cache.markStale(id)]);
    expect((await cache.getMany([id])).get(id)?.stale).toBe(true);
  });
});

describe("a server without tools", () => {
  test("keeps its last good list, stale, until a second list is empty too", async () => {
    const { cache } = openCache();
    await cache.set(id, sampleEntry());
    await cache.set(id, sampleEntry({ listedAt: 2_000, tools: [] }));
    expect((await cache.getMany([id])).get(id)).toEqual(sampleEntry({ listedAt: 2_000, stale: true }));
    await cache.set(id, sampleEntry({ listedAt: 3_000, tools: [] }));
    expect((await cache.getMany([id])).get(id)).toEqual(sampleEntry({ listedAt: 3_000, tools: [] }));
  });

  test("is still suspect after a reopen", async () => {
    const { cache, directory } = openCache();
    await cache.set(id, sampleEntry());
    await cache.set(id, sampleEntry({ listedAt: 2_000, tools: [] }));
    await cache.close();
    const next = openCache(directory).cache;
    await next.set(id, sampleEntry({ listedAt: 3_000, tools: [] }));
    expect((await next.getMany([id])).get(id)?.tools).toEqual([]);
  });

  test("[L3] an older list with tools that arrives after a newer empty one is dropped", async () => {
    const { cache } = openCache();
    await cache.set(id, sampleEntry({ listedAt: 2_000, tools: [] }));
    await cache.set(id, sampleEntry({ listedAt: 1_000 }));
    expect((await cache.getMany([id])).get(id)?.tools).toEqual([]);
  });
});

describe("unreadable rows", () => {
  const damages: readonly [what: string, sql: string][] = [
    ["another version", `UPDATE keyv SET value = replace(value, '"version":2', '"version":3')`],
    ["a changed tool", "UPDATE keyv SET value = replace(value, 'Does read', 'Does harm')"],
    ["text that is not a document", "UPDATE keyv SET value = 'nonsense'"],
    ["a value that is not text", "UPDATE keyv SET value = x'00ff'"],
    [
      "the row of another server",
      `UPDATE keyv SET key = 'between' WHERE key = 'files'; UPDATE keyv SET key = 'files' WHERE key = 'mail';
       UPDATE keyv SET key = 'mail' WHERE key = 'between'`,
    ],
  ];

  test.each(damages)("[L5] %s is a miss, and the entry can be written again", async (_what, sql) => {
    const { cache, file } = openCache();
    const mail = sampleId("mail");
    await cache.set(id, sampleEntry());
    await cache.set(mail, sampleEntry());
    withDatabase(file, (database) => database.exec(sql));
    expect(await cache.getMany([id, mail])).toEqual(new Map());
    expect(await cache.list()).toEqual([]);
    await cache.set(id, sampleEntry({ listedAt: 1 }));
    expect((await cache.getMany([id])).get(id)?.listedAt).toBe(1);
  });
});

test("rows of another version are logged once, however often they are read", async () => {
  const { cache, file, lines } = openCache();
  const ids = ["a", "b", "c"].map(sampleId);
  for (const each of ids) await cache.set(each, sampleEntry());
  withDatabase(file, (database) => database.exec(`UPDATE keyv SET value = replace(value, '2', '3')`));
  await cache.getMany(ids);
  await cache.getMany(ids);
  expect(lines).toEqual([expect.stringMatching(/another version wrote it.* no action is needed/)]);
});

describe("an entry that cannot be stored", () => {
  test("is logged and leaves the old entry", async () => {
    const { cache, lines } = openCache();
    await cache.set(id, sampleEntry());
    const cyclic = sampleEntry({ listedAt: 2_000, capabilities: {} });
    Object.assign(cyclic.capabilities ?? {}, { self: cyclic });
    await cache.set(id, cyclic);
    await cache.set(id, sampleEntry({ listedAt: 3_000, instructions: "x".repeat(17 * 1024 * 1024) }));
    expect((await cache.getMany([id])).get(id)).toEqual(sampleEntry());
    expect(lines).toHaveLength(2);
  });
});

describe("close", () => {
  test("makes later reads miss and later writes do nothing", async () => {
    const { cache, directory, lines } = openCache();
    await cache.set(id, sampleEntry());
    await Promise.all([cache.close(), cache.close()]);
    await cache.set(sampleId("mail"), sampleEntry());
    await cache.markStale(id);
    await cache.delete(id);
    await cache.close();
    expect(await cache.getMany([id])).toEqual(new Map());
    expect(await cache.list()).toEqual([]);
    expect(await openCache(directory).cache.list()).toEqual([expect.objectContaining({ id, stale: false })]);
    expect(lines).toEqual([]);
  });

  test("waits for pending operations and releases the files", async () => {
    const { cache, directory, file } = openCache();
    const storing = cache.set(id, sampleEntry());
    const reading = cache.getMany([id]);
    await cache.close();
    await Promise.all([storing, reading]);
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect((await openCache(directory).cache.getMany([id])).size).toBe(1);
    rmSync(directory, { recursive: true });
  });

  test("creates no directory if nothing was opened, even for a later identify", async () => {
    const directory = `${temporaryDirectory()}/catalog`;
    const { cache } = openCache(directory);
    await cache.close();
    expect((await cache.identify(sampleServer())).id).toMatch(/^[0-9a-f]{64}$/);
    expect(existsSync(directory)).toBe(false);
  });

  test("happens at the end of `await using`", async () => {
    const { cache, file } = openCache();
    {
      await using used = cache;
      await used.set(id, sampleEntry());
    }
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(await cache.list()).toEqual([]);
  });

  test("is not needed for the process to exit, and no SQLite warning is shown", async () => {
    const directory = temporaryDirectory();
    const { stdout, stderr } = await runFixture("abandoning-process", [directory]);
    expect(stdout).toBe("");
    expect(stderr).not.toContain("SQLite"); // Node 22 would call it experimental
    expect(await openCache(directory).cache.list()).toHaveLength(1);
  });
});

test("an import loads no dependency, and the first use loads Keyv without a native driver", async () => {
  const { stdout } = await runFixture("importing-process", [temporaryDirectory()]);
  const loaded = JSON.parse(stdout) as { onImport: string[]; onRead: string[]; onWrite: string[] };
  expect(loaded.onImport).toEqual([]);
  expect(loaded.onRead).toEqual(expect.arrayContaining(["keyv", "@keyv/sqlite"]));
  expect(loaded.onWrite).not.toContain("better-sqlite3");
});
