import { EventEmitter } from "node:events";
import { join } from "node:path";
import { isMcpError } from "@jackfield/mcp-core";
import { KeyvSqlite } from "@keyv/sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { keyvToolCache } from "../src/index.ts";
import {
  recordingLogger,
  sampleEntry,
  sampleId,
  sampleServer,
  temporaryDirectory,
} from "./catalog-samples.ts";

const id = sampleId("files");
const key = new Uint8Array(32).fill(3);

function sqliteStore(file = join(temporaryDirectory(), "any.sqlite")): KeyvSqlite {
  return new KeyvSqlite({ uri: `sqlite://${file}`, driver: "node:sqlite", wal: true, busyTimeout: 5_000 });
}

test("two caches with the same key share a catalog in a Keyv store", async () => {
  const file = join(temporaryDirectory(), "any.sqlite");
  const one = keyvToolCache(sqliteStore(file), { key });
  const two = keyvToolCache(sqliteStore(file), { key });
  onTestFinished(async () => void (await Promise.all([one.close(), two.close()])));
  const identity = await one.identify(sampleServer());
  await one.set(identity.id, sampleEntry());
  expect(await two.identify(sampleServer())).toEqual(identity);
  expect((await two.getMany([identity.id])).get(identity.id)).toEqual(sampleEntry());
  expect(await two.list()).toHaveLength(1);
});

test("a cache without the same key finds nothing in the store", async () => {
  const store = new Map<string, unknown>();
  await keyvToolCache(store, { key }).set(id, sampleEntry());
  const other = keyvToolCache(store);
  expect(await other.getMany([id])).toEqual(new Map());
  expect(await other.list()).toEqual([]);
});

test("namespaces separate the catalogs of one Map", async () => {
  const store = new Map<string, unknown>();
  const one = keyvToolCache(store, { key, namespace: "one" });
  const two = keyvToolCache(store, { key, namespace: "two" });
  await one.set(id, sampleEntry());
  expect((await one.list()).length).toBe(1);
  expect(await two.list()).toEqual([]);
  expect(await two.getMany([id])).toEqual(new Map());
});

test("getMany reads fifty entries in one query", async () => {
  const store = sqliteStore();
  const queries: string[] = [];
  const { query } = store;
  store.query = async (sql, ...values) => {
    queries.push(sql);
    return query(sql, ...values);
  };
  const cache = keyvToolCache(store, { key });
  onTestFinished(() => cache.close());
  const ids = Array.from({ length: 50 }, (_, index) => sampleId(`server-${index}`));
  for (const each of ids) await cache.set(each, sampleEntry({ server: each }));
  queries.length = 0;
  expect((await cache.getMany(ids)).size).toBe(50);
  expect(queries).toHaveLength(1);
});

test("a store made for Keyv 5 works", async () => {
  const rows = new Map<string, unknown>();
  const legacy = {
    get: async (row: string) => rows.get(row),
    set: async (row: string, value: unknown) => void rows.set(row, value),
    delete: async (row: string) => rows.delete(row),
    clear: async () => rows.clear(),
  };
  const cache = keyvToolCache(legacy, { key });
  await cache.set(id, sampleEntry());
  expect((await cache.getMany([id])).get(id)).toEqual(sampleEntry());
});

test.each([
  ["an error", new Error("connection refused"), "connection refused"],
  ["a value without a text", Object.create(null), "a value without a text"],
])("a store that fails with %s causes a logged miss", async (_, thrown, reason) => {
  const refuse = async (): Promise<never> => {
    throw thrown;
  };
  const { log, lines } = recordingLogger();
  const refusing = { get: refuse, set: refuse, delete: refuse, clear: refuse, disconnect: refuse };
  const cache = keyvToolCache(refusing, { key, log });
  await cache.set(id, sampleEntry());
  await cache.markStale(id);
  await cache.delete(id);
  expect(await cache.getMany([id])).toEqual(new Map());
  expect(await cache.list()).toEqual([]);
  await cache.close();
  expect(lines).toContain(`warn The tool catalog's store failed. ${JSON.stringify({ reason })}`);
});

test("a store that never answers times out as a miss and does not block close", async () => {
  const never = () => new Promise<never>(() => {});
  const { log, lines } = recordingLogger();
  const silent = { get: never, set: never, delete: never, clear: never, disconnect: never };
  const cache = keyvToolCache(silent, { key, log, timeoutMs: 1 });
  expect(await cache.getMany([id])).toEqual(new Map());
  await cache.set(id, sampleEntry());
  await cache.close();
  expect(lines).toEqual([expect.stringContaining("did not answer within 1 ms")]);
});

test("an outage of the store is told once, and again when the store has worked in between", async () => {
  const rows = new Map<string, unknown>();
  let isDown = false;
  const upOrThrow = () => {
    if (isDown) throw new Error("connect ECONNREFUSED 10.0.0.7:6379");
    return true;
  };
  const store = {
    get: async (row: string) => upOrThrow() && rows.get(row),
    set: async (row: string, value: unknown) => upOrThrow() && rows.set(row, value) !== undefined,
    delete: async (row: string) => upOrThrow() && rows.delete(row),
    clear: async () => rows.clear(),
  };
  const { log, lines } = recordingLogger();
  const cache = keyvToolCache(store, { key, log });
  const said: string[][] = [];
  for (const down of [false, true, false, true]) {
    isDown = down;
    for (let time = 0; time < 5; time += 1) {
      await cache.set(id, sampleEntry({ listedAt: 1_000 + said.length * 10 + time }));
      await cache.getMany([id]);
    }
    said.push(lines.splice(0));
  }
  await cache.close();
  const refused = expect.stringContaining("ECONNREFUSED");
  expect(said).toEqual([[], [refused], [expect.stringMatching(/^warn .*works again/)], [refused]]);
});

test("the client of a store that does not answer is given up by close, and its errors end no process", async () => {
  const client = Object.assign(new EventEmitter(), { destroy: vi.fn() });
  const never = () => new Promise<never>(() => {});
  const store = { client, get: never, set: never, delete: never, clear: never, disconnect: never };
  const { log, lines } = recordingLogger();
  const cache = keyvToolCache(store, { key, timeoutMs: 5, log });
  const reading = cache.getMany([id]);
  await vi.waitFor(() => expect(client.listenerCount("error")).toBe(1));
  client.emit("error", new Error("Connection terminated unexpectedly"));
  await reading;
  await cache.close();
  expect(client.destroy).toHaveBeenCalledOnce();
  expect(lines).toContainEqual(expect.stringContaining("Connection terminated unexpectedly"));
});

test("a write that the store reports as failed is logged", async () => {
  const { log, lines } = recordingLogger();
  const rejecting = {
    get: async () => undefined,
    set: async () => false,
    delete: async () => false,
    clear: async () => {},
  };
  const cache = keyvToolCache(rejecting, { key, log });
  await cache.set(id, sampleEntry());
  expect(lines).toEqual([
    expect.stringContaining('could not be stored in the tool catalog. {"server":"files"'),
  ]);
});

test("an invalid store is replaced by memory and logged", async () => {
  const { log, lines } = recordingLogger();
  const cache = keyvToolCache({} as Map<string, unknown>, { key, log });
  await cache.set(id, sampleEntry());
  expect((await cache.getMany([id])).size).toBe(1);
  expect(lines).toHaveLength(1);
});

test("close disconnects the store", async () => {
  const store = sqliteStore();
  const cache = keyvToolCache(store, { key });
  await cache.set(id, sampleEntry());
  await cache.close();
  await expect(store.query("SELECT 1")).rejects.toThrow(/not open/);
});

test("a key that is too short throws MCP_CONFIG_INVALID", () => {
  const short = () => keyvToolCache(new Map(), { key: new Uint8Array(31) });
  expect(short).toThrow(expect.toSatisfy((error) => isMcpError(error, "MCP_CONFIG_INVALID")));
});
