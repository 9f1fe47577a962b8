import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatalogId, Logger } from "@jackfield/mcp-core";
import { type RealStore, startRealStore, toolCacheSuite } from "@jackfield/test-kit";
import { KeyvPostgres } from "@keyv/postgres";
import KeyvRedis from "@keyv/redis";
import KeyvValkey from "@keyv/valkey";
import pg from "pg";
import { createCluster } from "redis";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type KeyvStore, type KeyvToolCacheOptions, keyvToolCache } from "../src/index.ts";
import { recordingLogger, sampleEntry, sampleId, sampleTool } from "./catalog-samples.ts";

const key = new Uint8Array(32).fill(5);
const id = sampleId("files");

const redis = await startRealStore("redis");
const postgres = await startRealStore("postgres");
afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
});

interface Fleet {
  readonly store: RealStore | undefined;
  adapter(url: string): KeyvStore;
  readonly options?: (url: string) => KeyvToolCacheOptions;
}

const quietPostgres = (uri: string) =>
  new KeyvPostgres({ uri }).on("error", () => {}) as unknown as KeyvStore;
const postgresClient = (url: string) => ({ postgresClient: () => new pg.Client({ connectionString: url }) });

const FLEETS: readonly [name: string, Fleet][] = [
  ["Redis", { store: redis, adapter: (url) => new KeyvRedis(url) as unknown as KeyvStore }],
  [
    "Redis through the client of Valkey",
    { store: redis, adapter: (url) => new KeyvValkey(url) as unknown as KeyvStore },
  ],
  ["Postgres", { store: postgres, adapter: quietPostgres, options: postgresClient }],
];

let namespaces = 0;

describe.each(FLEETS)("a fleet on %s", (name, { store, adapter, options }) => {
  if (store === undefined) return test.skip("needs the store", () => {});
  const { url } = store;
  const open = (namespace: string, log?: Logger) =>
    keyvToolCache(adapter(url), { ...options?.(url), key, namespace, log, timeoutMs: 5_000 });

  toolCacheSuite(`keyvToolCache on ${name}`, async () => {
    const namespace = `suite-${++namespaces}`;
    const opened: ReturnType<typeof open>[] = [];
    const next = () => {
      const cache = open(namespace);
      opened.push(cache);
      return cache;
    };
    return {
      cache: next(),
      reopen: async () => next(),
      dispose: async () => void (await Promise.all(opened.map((cache) => cache.close()))),
    };
  });

  test("a machine hears at once what another one has written, not what it writes itself, and nothing that says the same", async () => {
    const namespace = `heard-${++namespaces}`;
    const [one, two] = [open(namespace), open(namespace)];
    onTestFinished(async () => void (await Promise.all([one.close(), two.close()])));
    const heardByOne: CatalogId[] = [];
    const heardByTwo: CatalogId[] = [];
    one.onChange?.((heard) => heardByOne.push(heard));
    const stop = two.onChange?.((heard) => heardByTwo.push(heard));
    let listedAt = Date.now();
    const write = async (cache: typeof one, server: string) => {
      listedAt += 1;
      await cache.set(sampleId(server), sampleEntry({ server, listedAt }));
    };
    const count = (heard: readonly CatalogId[], server: string) =>
      heard.filter((each) => each === sampleId(server)).length;
    const within = { timeout: 60_000, interval: 20 };
    let tries = 0;
    const isReached = async () => {
      tries += 1;
      await write(one, `to-two-${tries}`);
      await write(two, `to-one-${tries}`);
      expect(heardByTwo.length * heardByOne.length).toBeGreaterThan(0); // Who subscribes hears what is written from then on.
    };
    await vi.waitFor(isReached, within);
    await write(one, "repeated");
    await write(one, "repeated");
    await write(two, "own");
    await write(one, "end");
    await write(two, "end-of-two");
    await vi.waitFor(
      () => expect([count(heardByTwo, "end"), count(heardByOne, "end-of-two")]).toEqual([1, 1]),
      within,
    );
    expect([count(heardByTwo, "repeated"), count(heardByTwo, "own")]).toEqual([1, 0]);
    expect([count(heardByOne, "repeated"), count(heardByOne, "own")]).toEqual([0, 1]);
    stop?.();
    await write(one, "unheard");
    await write(two, "heard");
    await vi.waitFor(() => expect(count(heardByOne, "heard")).toBe(1), within);
    expect(count(heardByTwo, "unheard")).toBe(0);
  });

  test("outlives a restart of the store with one line when it fails and one when it is over, and hears changes again", async () => {
    const namespace = `restart-${++namespaces}`;
    const { log, lines } = recordingLogger();
    const [one, two] = [open(namespace, log), open(namespace)];
    onTestFinished(async () => void (await Promise.all([one.close(), two.close()])));
    const heard = vi.fn<(heard: CatalogId) => void>();
    two.onChange?.(heard);
    await one.set(id, sampleEntry({ listedAt: Date.now() }));
    await two.getMany([id]);
    await store.restart(200);
    await vi.waitFor(
      async () => {
        await one.set(id, sampleEntry({ listedAt: Date.now(), tools: [sampleTool(`at-${Date.now()}`)] }));
        expect(heard).toHaveBeenCalledWith(id);
        expect(lines.at(-1)).toContain("works again");
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^warn /);
  });
});

test.runIf(redis !== undefined)("Redis expires an entry after thirty days", async () => {
  const adapter = new KeyvRedis(redis?.url ?? "");
  const cache = keyvToolCache(adapter as unknown as KeyvStore, { key, namespace: "expiring" });
  onTestFinished(() => cache.close());
  await cache.set(id, sampleEntry());
  const client = (await adapter.getClient()) as unknown as {
    keys(pattern: string): Promise<string[]>;
    pTTL(row: string): Promise<number>;
  };
  const [row = ""] = await client.keys("expiring*");
  const days = Number(await client.pTTL(row)) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThanOrEqual(30);
});

test.runIf(redis !== undefined)(
  "a Redis that was emptied gives nothing, takes entries again, and nothing is said",
  async () => {
    const { adapter, cache, lines } = await openOnRedis("emptied");
    await cache.set(id, sampleEntry());
    await (await commandsOf(adapter)).sendCommand(["FLUSHALL"]);
    expect((await cache.getMany([id])).size).toBe(0);
    expect(await cache.list()).toEqual([]);
    await cache.set(id, sampleEntry());
    expect((await cache.getMany([id])).size).toBe(1);
    expect(lines).toEqual([]);
  },
);

test.runIf(redis !== undefined)(
  "a full Redis is read, takes nothing with one line, and takes again with another",
  async () => {
    const { adapter, cache, lines } = await openOnRedis("full");
    await cache.set(id, sampleEntry());
    const { sendCommand } = await commandsOf(adapter);
    await sendCommand(["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    await sendCommand(["CONFIG", "SET", "maxmemory", "1"]);
    onTestFinished(async () => void (await sendCommand(["CONFIG", "SET", "maxmemory", "0"])));
    for (const server of ["one", "two"]) await cache.set(sampleId(server), sampleEntry({ server }));
    expect((await cache.getMany([id])).size).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/^warn .*OOM/)]);
    await sendCommand(["CONFIG", "SET", "maxmemory", "0"]);
    await cache.set(sampleId("three"), sampleEntry({ server: "three" }));
    expect(lines.slice(1)).toEqual([expect.stringContaining("works again")]);
  },
);

async function openOnRedis(namespace: string) {
  const adapter = new KeyvRedis(redis?.url ?? "");
  const { log, lines } = recordingLogger();
  const cache = keyvToolCache(adapter as unknown as KeyvStore, { key, namespace, log, timeoutMs: 5_000 });
  onTestFinished(() => cache.close());
  return { adapter, cache, lines };
}

async function commandsOf(adapter: KeyvRedis<unknown>) {
  const client = (await adapter.getClient()) as unknown as {
    sendCommand(args: readonly string[]): Promise<unknown>;
  };
  return { sendCommand: (args: readonly string[]) => client.sendCommand(args) };
}

test.runIf(redis !== undefined)("a Redis Cluster keeps entries in several slots", async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const client = createCluster({ rootNodes: [{ url: cluster.url }] });
  const cache = keyvToolCache(new KeyvRedis(client as never) as unknown as KeyvStore, {
    key,
    timeoutMs: 10_000,
  });
  onTestFinished(() => cache.close());
  const ids = Array.from({ length: 20 }, (_, index) => sampleId(`server-${index}`));
  for (const each of ids) await cache.set(each, sampleEntry({ server: each }));
  expect((await cache.getMany(ids)).size).toBe(20);
  expect(await cache.list()).toHaveLength(20);
});

/** Three nodes that share the slots; on ports below those that systems give to connections, for their bus too. */
async function startCluster(): Promise<{ url: string } & AsyncDisposable> {
  const first = 12_000 + (process.pid % 3_000) * 6;
  const ports = [first, first + 1, first + 2];
  const busOf = (port: number) => port + ports.length;
  const folders = ports.map((port) => mkdtempSync(join(tmpdir(), `cluster-${port}-`)));
  const nodes = ports.map((port, index) => {
    const args = [
      "--port",
      `${port}`,
      "--cluster-port",
      `${busOf(port)}`,
      "--cluster-enabled",
      "yes",
      "--save",
      "",
      "--dir",
      folders[index] ?? "",
    ];
    return spawn("redis-server", args, { stdio: "ignore" });
  });
  const ask = (port: number, ...command: readonly (string | number)[]) =>
    spawnSync("redis-cli", ["-p", `${port}`, ...command.map(String)], { encoding: "utf8" }).stdout;
  const untilSaid = (port: number, said: string, ...command: readonly string[]) =>
    vi.waitFor(() => expect(ask(port, ...command)).toContain(said), { timeout: 60_000, interval: 50 });
  for (const port of ports) await untilSaid(port, "PONG", "PING");
  for (const [index, port] of ports.entries()) {
    ask(port, "CLUSTER", "ADDSLOTSRANGE", index * 5_462, Math.min(index * 5_462 + 5_461, 16_383));
    ask(port, "CLUSTER", "MEET", "127.0.0.1", first, busOf(first));
  }
  for (const port of ports) {
    await untilSaid(port, "cluster_known_nodes:3", "CLUSTER", "INFO");
    await untilSaid(port, "cluster_state:ok", "CLUSTER", "INFO");
  }
  return {
    url: `redis://127.0.0.1:${first}`,
    async [Symbol.asyncDispose]() {
      const ended = nodes.map((node) => once(node, "exit"));
      for (const node of nodes) node.kill("SIGKILL");
      await Promise.all(ended);
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
