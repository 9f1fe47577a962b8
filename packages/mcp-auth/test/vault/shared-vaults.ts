import { randomBytes } from "node:crypto";
import { startRealStore } from "@jackfield/test-kit";
import { KeyvPostgres } from "@keyv/postgres";
import KeyvRedis from "@keyv/redis";
import KeyvValkey from "@keyv/valkey";
import { afterAll } from "vitest";

export const SHARED_KEY = randomBytes(32);

/** Real stores, by their adapters as they are; those that cannot be had here are missing, out loud. They end after the tests of the file. */
export async function sharedStores(): Promise<readonly (readonly [name: string, store: object])[]> {
  const [redis, postgres] = await Promise.all([startRealStore("redis"), startRealStore("postgres")]);
  interface Adapter {
    get(key: string): Promise<unknown>;
    disconnect(): Promise<unknown>;
  }
  const opened: (readonly [string, Adapter])[] = [];
  if (redis !== undefined) {
    opened.push(["Redis", new KeyvRedis(redis.url)], ["Valkey", new KeyvValkey(redis.url)]);
  }
  // One connection that stays open, so that none is left over from a test.
  const pool = { max: 1, idleTimeoutMillis: 0 };
  if (postgres !== undefined) opened.push(["Postgres", new KeyvPostgres({ uri: postgres.url, ...pool })]);
  for (const [, store] of opened) await store.get("nothing");
  afterAll(async () => {
    for (const [, store] of opened) await store.disconnect();
    await redis?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });
  return opened;
}
