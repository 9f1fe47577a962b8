import type { ServerDefinition, ToolCache } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { keyvToolCache } from "../src/index.ts";
import { sampleEntry, sampleId, sampleServer, sampleTool } from "./catalog-samples.ts";
import { openCache } from "./open-cache.ts";

const DAY = 86_400_000;
const id = sampleId("files");

function mapCache(): ToolCache {
  const cache = keyvToolCache(new Map(), { key: new Uint8Array(32).fill(1) });
  onTestFinished(() => cache.close());
  return cache;
}

async function read(cache: ToolCache) {
  return (await cache.getMany([id])).get(id);
}

describe.each([
  ["on disk", () => openCache().cache],
  ["on a Map", mapCache],
])("a catalog %s", (_where, open) => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_900_000_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const entry = (changes: Parameters<typeof sampleEntry>[0] = {}) =>
    sampleEntry({ listedAt: Date.now(), ...changes });

  test("expires a listing after thirty days, even if an outcome was written since", async () => {
    const cache = open();
    const listed = entry();
    await cache.set(id, listed);
    vi.setSystemTime(Date.now() + 20 * DAY);
    await cache.set(id, { ...listed, lastOutcome: { ok: false, at: Date.now(), tookMs: 7 } });
    vi.setSystemTime(Date.now() + 10 * DAY - 1);
    expect(await read(cache)).toBeDefined();
    vi.setSystemTime(Date.now() + 1);
    expect(await read(cache)).toBeUndefined();
    expect(await cache.list()).toEqual([]);
  });

  test("keeps the last outcome with its duration", async () => {
    const cache = open();
    const lastOutcome = { ok: false, at: Date.now(), tookMs: 31, code: "MCP_CONNECT_TIMEOUT" } as const;
    await cache.set(id, entry({ tools: undefined, lastOutcome }));
    expect((await read(cache))?.lastOutcome).toEqual(lastOutcome);
  });

  test("drops a legacy prior after a day and keeps a modern one whole", async () => {
    const cache = open();
    const modern = sampleId("modern");
    const discover = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, unknown: [null] };
    await cache.set(id, entry({ prior: { era: "legacy", at: Date.now() } }));
    await cache.set(modern, entry({ prior: { era: "modern", at: Date.now(), discover } }));
    expect((await read(cache))?.prior?.era).toBe("legacy");
    vi.setSystemTime(Date.now() + DAY + 1);
    expect((await read(cache))?.prior).toBeUndefined();
    expect((await cache.getMany([modern])).get(modern)?.prior).toMatchObject({ era: "modern", discover });
  });

  test.each([1e18, -1, Number.NaN])(
    "[T77] limits a ttlMs of %d to a day, or to 0 if it is invalid",
    async (ttlMs) => {
      const cache = open();
      await cache.set(id, entry({ ttlMs }));
      expect((await read(cache))?.ttlMs).toBe(ttlMs > 0 ? DAY : 0);
    },
  );

  test("[T77] returns an entry as stale after the clock was set back by a year", async () => {
    const cache = open();
    await cache.set(id, entry());
    vi.setSystemTime(Date.now() - 365 * DAY);
    expect((await read(cache))?.stale).toBe(true);
    expect(await cache.list()).toMatchObject([{ stale: true }]);
  });

  test("[L17] keeps an entry stale when a listing begun before markStale arrives", async () => {
    const cache = open();
    const underWay = entry({ tools: [sampleTool("old")], listedAt: Date.now() + 1 });
    await cache.set(id, entry());
    vi.setSystemTime(Date.now() + 2);
    await cache.markStale(id);
    await cache.set(id, underWay);
    expect(await read(cache)).toMatchObject({ stale: true, tools: [{ name: "old" }] });
    await cache.set(id, entry());
    expect((await read(cache))?.stale).toBeUndefined();
  });

  test("[L2] drops the tools of a server only after a second empty list", async () => {
    const cache = open();
    await cache.set(id, entry());
    await cache.set(id, entry({ listedAt: Date.now() + 1, tools: [] }));
    expect(await read(cache)).toMatchObject({ stale: true, tools: [{ name: "read" }] });
    await cache.set(id, entry({ listedAt: Date.now() + 2, tools: [] }));
    expect((await read(cache))?.tools).toEqual([]);
  });

  test("[T79] does not change when a returned entry is changed", async () => {
    const cache = open();
    const prior = { era: "modern", at: 1, discover: { deep: { list: [1] } } } as const;
    await cache.set(id, entry({ prior, capabilities: { tools: {} }, prompts: [{ name: "ask" }] }));
    const before = JSON.stringify(await read(cache));
    spoil(await read(cache));
    expect(JSON.stringify(await read(cache))).toBe(before);
  });

  test("[T51] returns every text that a model could see, unchanged", async () => {
    const cache = open();
    const tool = {
      name: "m1",
      title: "m2",
      description: "m3",
      inputSchema: {
        type: "object" as const,
        title: "m4",
        description: "m5",
        properties: { m6: { type: "string", title: "m7", description: "m8", enum: ["m9"], default: "m10" } },
      },
      outputSchema: { type: "object", description: "m11" },
      annotations: { title: "m12" },
      _meta: { note: "m13" },
    };
    await cache.set(id, entry({ tools: [tool], instructions: "m14" }));
    const found = JSON.stringify(await read(cache));
    for (let marker = 1; marker <= 14; marker += 1) expect(found).toContain(`"m${marker}"`);
  });
});

describe("the identity of a catalog entry", () => {
  test("[T75] keeps one user's entry from another, even with cacheScope public", async () => {
    const { cache } = openCache();
    const remote = {
      name: "api",
      transport: "http" as const,
      url: "https://mcp.example/mcp",
      headers: {},
      secrets: [],
    };
    const alice = await cache.identify(remote, { principal: "alice" });
    const bob = await cache.identify(remote, { principal: "bob" });
    await cache.set(alice.id, sampleEntry({ cacheScope: "public", credentials: alice.credentials }));
    expect(await cache.getMany([bob.id])).toEqual(new Map());
    expect((await cache.getMany([alice.id])).size).toBe(1);
  });

  test("[T74] [L8] separates servers of one name with different definitions", async () => {
    const { cache } = openCache();
    const servers = [
      sampleServer(),
      sampleServer({ command: "other-server" }),
      sampleServer({ args: ["--root", "/other"] }),
      sampleServer({ env: { LANG: "C", WORKSPACE: "two" } }),
      sampleServer({ cwd: "/elsewhere" }),
    ];
    const ids = await Promise.all(servers.map(async (server) => (await cache.identify(server)).id));
    await cache.set(ids[0] ?? id, sampleEntry());
    expect([...(await cache.getMany(ids)).keys()]).toEqual([ids[0]]);
    expect(new Set(ids).size).toBe(servers.length);
  });

  test("[L7] differs for another URL, but not for another limit", async () => {
    const { cache } = openCache();
    const remote = {
      name: "api",
      transport: "http" as const,
      url: "https://mcp.example/mcp",
      headers: {},
      secrets: [],
    };
    const identity = await cache.identify(remote);
    expect(await cache.identify({ ...remote, limits: { callTimeoutMs: 1 } })).toEqual(identity);
    expect((await cache.identify({ ...remote, url: "https://mcp.example/v2" })).id).not.toBe(identity.id);
  });

  test("[L6] keeps the id for a rotated token, with other credentials", async () => {
    const { cache } = openCache();
    const withToken = (token: string) => sampleServer({ env: { LANG: "C", TOKEN: token }, secrets: [token] });
    const definition: ServerDefinition = {
      name: "files",
      transport: "stdio",
      command: "files-server",
      env: { TOKEN: "$" + "{TOKEN}" },
      definedIn: { scope: "explicit" },
    };
    const before = await cache.identify(withToken("sk-old-0123456789"), { definition });
    const after = await cache.identify(withToken("sk-new-0123456789"), { definition });
    expect(after.id).toBe(before.id);
    expect(after.credentials).not.toBe(before.credentials);
  });
});

/** Changes every value it can reach. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    spoil(child);
    Reflect.set(value, name, "spoiled");
  }
}
