import { toolCacheSuite } from "@jackfield/test-kit";
import KeyvRedis from "@keyv/redis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type KeyvStore, keyvToolCache } from "../src/index.ts";
import { recordingLogger, sampleEntry, sampleId } from "./catalog-samples.ts";
import { hasRedis, type RedisServer, startRedis } from "./redis-server.ts";

const key = new Uint8Array(32).fill(5);
const id = sampleId("files");

describe.runIf(hasRedis)("a catalog on a Redis server", () => {
  let redis: RedisServer;
  let namespaces = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis[Symbol.asyncDispose]();
  });

  toolCacheSuite("keyvToolCache on Redis", async () => {
    namespaces += 1;
    const namespace = `catalog-${namespaces}`;
    const opened: ReturnType<typeof keyvToolCache>[] = [];
    const open = () => {
      const cache = keyvToolCache(redisStore(redis), { key, namespace });
      opened.push(cache);
      return cache;
    };
    return {
      cache: open(),
      reopen: async () => open(),
      dispose: async () => void (await Promise.all(opened.map((cache) => cache.close()))),
    };
  });

  test("is shared by two caches, and Redis expires an entry after thirty days", async () => {
    const one = keyvToolCache(redisStore(redis), { key });
    const two = keyvToolCache(redisStore(redis), { key });
    onTestFinished(async () => void (await Promise.all([one.close(), two.close()])));
    await one.set(id, sampleEntry());
    expect((await two.getMany([id])).get(id)).toEqual(sampleEntry());
    const store = redisStore(redis);
    onTestFinished(() => store.disconnect());
    const client = await store.getClient();
    const [row = ""] = await client.keys("jackfield-catalog*");
    const days = Number(await client.pTTL(row)) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
  });
});

test.runIf(hasRedis)("a Redis server that goes away causes a logged miss", async () => {
  const redis = await startRedis();
  const { log, lines } = recordingLogger();
  const cache = keyvToolCache(redisStore(redis), { key, log, timeoutMs: 200 });
  await cache.set(id, sampleEntry());
  expect((await cache.getMany([id])).size).toBe(1);
  await redis[Symbol.asyncDispose]();
  expect(await cache.getMany([id])).toEqual(new Map());
  await cache.set(id, sampleEntry({ listedAt: 2_000 }));
  expect(lines).not.toEqual([]);
  await cache.close();
});

function redisStore({ url }: RedisServer) {
  return new KeyvRedis(url, { connectionTimeout: 2_000 }) satisfies KeyvStore;
}
