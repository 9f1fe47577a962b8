import type { CatalogEntry, CatalogId, ResolvedServer, ToolCache, ToolDefinition } from "@jackfield/mcp-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  fullEntry,
  HTTP,
  HTTP_ENTRY,
  LISTED_AT,
  SECRET,
  STDIO,
  STDIO_ENTRY,
  tool,
  withHeaders,
  withSecret,
} from "./sample-catalog.ts";

/** A cache made for one test. */
export interface ToolCacheUnderTest {
  readonly cache: ToolCache;
  /** Opens the same storage again, as the next process would. Missing if nothing outlives the cache. */
  reopen?(): Promise<ToolCache>;
  /** Closes and removes everything that was opened, reopened caches included. */
  dispose(): Promise<void>;
}

/** Registers the tests that every `ToolCache` must pass, each with its own cache. */
export function toolCacheSuite(name: string, open: () => Promise<ToolCacheUnderTest>): void {
  describe(`${name} as a ToolCache`, () => {
    let opened: ToolCacheUnderTest;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.dispose());

    describeEntries(() => opened.cache);
    describeIdentity(() => opened.cache);
    describeEnd(() => opened);
  });
}

function describeEntries(cacheOf: () => ToolCache): void {
  test("getMany leaves out unknown ids", async () => {
    const cache = cacheOf();
    const known = await store(cache, HTTP, {});
    const { id: unknown } = await cache.identify(STDIO);
    const found = await cache.getMany([unknown, known]);
    expect([...found.keys()]).toEqual([known]);
  });

  test("getMany returns an entry byte for byte, with unknown fields and any key name", async () => {
    const cache = cacheOf();
    const entry = fullEntry();
    const id = await store(cache, HTTP, entry);
    const found = await read(cache, id);
    for (const [field, value] of Object.entries(entry)) {
      expect(JSON.stringify(found?.[field as keyof CatalogEntry]), field).toBe(JSON.stringify(value));
    }
  });

  test("an empty list stays empty, and a list that was not stored stays undefined", async () => {
    const cache = cacheOf();
    const id = await store(cache, HTTP, { tools: [] });
    const found = await read(cache, id);
    expect(found?.tools).toEqual([]);
    expect(found?.prompts).toBeUndefined();
  });

  test("changing an object passed in or returned does not change the stored entry", async () => {
    const cache = cacheOf();
    const tools = [tool("before")];
    const id = await store(cache, HTTP, { tools });
    rename(tools[0]);
    rename((await read(cache, id))?.tools?.[0]);
    expect((await read(cache, id))?.tools?.[0]?.name).toBe("before");
  });

  test("a newer listing replaces the entry, an older one does not", async () => {
    const cache = cacheOf();
    const id = await store(cache, HTTP, { tools: [tool("first")] });
    await store(cache, HTTP, { tools: [tool("second")], listedAt: LISTED_AT + 2 });
    await store(cache, HTTP, { tools: [tool("late")], listedAt: LISTED_AT + 1 });
    const found = await read(cache, id);
    expect(found?.tools?.map((each) => each.name)).toEqual(["second"]);
    expect(found?.listedAt).toBe(LISTED_AT + 2);
  });

  test("the latest listing wins among concurrent writes", async () => {
    const cache = cacheOf();
    const offsets = [3, 9, 1, 7, 5];
    const ids = await Promise.all(
      offsets.map((offset) =>
        store(cache, HTTP, { tools: [tool(`tool-${offset}`)], listedAt: LISTED_AT + offset }),
      ),
    );
    const found = await read(cache, ids[0]);
    expect(found?.tools?.map((each) => each.name)).toEqual(["tool-9"]);
  });

  test("a stale entry keeps its content until a newer listing replaces it", async () => {
    const cache = cacheOf();
    const id = await store(cache, HTTP, { tools: [tool("kept")] });
    await cache.markStale(id);
    const stale = await read(cache, id);
    expect(stale?.stale).toBe(true);
    expect(stale?.tools?.map((each) => each.name)).toEqual(["kept"]);
    await store(cache, HTTP, { tools: [tool("kept")], listedAt: Date.now() });
    expect((await read(cache, id))?.stale ?? false).toBe(false);
  });

  test("a listing taken before markStale is stored but stays stale", async () => {
    const cache = cacheOf();
    const id = await store(cache, HTTP, { tools: [tool("before")] });
    await cache.markStale(id);
    await store(cache, HTTP, { tools: [tool("in-flight")], listedAt: LISTED_AT + 1 });
    const late = await read(cache, id);
    expect(late?.tools?.map((each) => each.name)).toEqual(["in-flight"]);
    expect(late?.stale).toBe(true);
    await store(cache, HTTP, { tools: [tool("after")], listedAt: Date.now() });
    expect((await read(cache, id))?.stale ?? false).toBe(false);
  });

  test("markStale on an unknown id creates no entry", async () => {
    const cache = cacheOf();
    const { id } = await cache.identify(HTTP);
    await cache.markStale(id);
    expect(await read(cache, id)).toBeUndefined();
    expect(await cache.list()).toEqual([]);
  });

  test("delete removes its entry and no other", async () => {
    const cache = cacheOf();
    const gone = await store(cache, HTTP, {});
    const kept = await store(cache, STDIO, {});
    await cache.delete(gone);
    await cache.delete(gone);
    expect([...(await cache.getMany([gone, kept])).keys()]).toEqual([kept]);
  });

  test("list summarises the stored entries, without secrets", async () => {
    const cache = cacheOf();
    const http = await store(cache, HTTP, { tools: [tool("a"), tool("b")] });
    const stdio = await store(cache, STDIO, {});
    await cache.markStale(stdio);
    const summaries = await cache.list();
    expect(summaries).toHaveLength(2);
    expect(summaries).toContainEqual({
      id: http,
      server: "github",
      tools: 2,
      listedAt: LISTED_AT,
      stale: false,
    });
    expect(summaries).toContainEqual({
      id: stdio,
      server: "files",
      tools: 0,
      listedAt: LISTED_AT,
      stale: true,
    });
    expect(JSON.stringify(summaries)).not.toContain(SECRET);
  });
}

function describeIdentity(cacheOf: () => ToolCache): void {
  test.each<[what: string, before: ResolvedServer, after: ResolvedServer]>([
    ["URL", HTTP, { ...HTTP, url: "https://other.example/mcp" }],
    ["transport", HTTP, { ...HTTP, transport: "sse" }],
    ["command", STDIO, { ...STDIO, command: "other-server" }],
    ["arguments", STDIO, { ...STDIO, args: ["--root", "/other"] }],
    ["boundary between the arguments", STDIO, { ...STDIO, args: ["--root /data"] }],
    ["working directory", STDIO, { ...STDIO, cwd: "/other" }],
  ])("a different %s gives a different catalog id", async (_what, before, after) => {
    const cache = cacheOf();
    expect((await cache.identify(after)).id).not.toBe((await cache.identify(before)).id);
  });

  test("each principal has its own catalog id", async () => {
    const cache = cacheOf();
    const principals = [undefined, "alice", "bob"];
    const identities = await Promise.all(principals.map((principal) => cache.identify(HTTP, { principal })));
    expect(new Set(identities.map(({ id }) => id)).size).toBe(principals.length);
  });

  test.each<[what: string, before: ResolvedServer, after: ResolvedServer]>([
    ["name", HTTP, { ...HTTP, name: "renamed" }],
    ["limit", STDIO, { ...STDIO, limits: { callTimeoutMs: 1 } }],
    ["order of the headers", withHeaders("a", "b"), withHeaders("b", "a")],
  ])("a different %s gives the same identity", async (_what, before, after) => {
    const cache = cacheOf();
    expect(await cache.identify(after)).toEqual(await cache.identify(before));
  });

  test.each<[what: string, before: ResolvedServer, after: ResolvedServer]>([
    ["header", HTTP, withSecret(HTTP, "sk-renewed-9876543210")],
    ["environment", STDIO, withSecret(STDIO, "sk-renewed-9876543210")],
  ])("a different secret in the %s changes the credentials but not the id", async (_what, before, after) => {
    const cache = cacheOf();
    const definition = before.transport === "stdio" ? STDIO_ENTRY : HTTP_ENTRY;
    const identity = await cache.identify(before, { definition });
    const renewed = await cache.identify(after, { definition });
    expect(renewed.id).toBe(identity.id);
    expect(renewed.credentials).not.toBe(identity.credentials);
  });

  test("a different secret gives a different catalog id if nothing says that a variable gave it", async () => {
    const cache = cacheOf();
    const identity = await cache.identify(HTTP);
    expect((await cache.identify(withSecret(HTTP, "sk-of-another-4711"))).id).not.toBe(identity.id);
  });

  test("each login has its own catalog id", async () => {
    const cache = cacheOf();
    const accounts = [undefined, "login-1", "login-2"];
    const identities = await Promise.all(accounts.map((account) => cache.identify(HTTP, { account })));
    expect(new Set(identities.map(({ id }) => id)).size).toBe(accounts.length);
  });

  test("a different plain value in the environment gives a different identity", async () => {
    const cache = cacheOf();
    const identity = await cache.identify({ ...STDIO, env: { API_KEY: SECRET, WORKSPACE: "one" } });
    const other = await cache.identify({ ...STDIO, env: { API_KEY: SECRET, WORKSPACE: "two" } });
    expect(other).not.toEqual(identity);
  });

  test("an identity reveals no secret, server name, host or principal", async () => {
    const identity = JSON.stringify(await cacheOf().identify(HTTP, { principal: "alice" }));
    for (const hidden of [SECRET, "github", "mcp.example", "alice"]) expect(identity).not.toContain(hidden);
  });
}

function describeEnd(openedOf: () => ToolCacheUnderTest): void {
  test("a closed cache finds and stores nothing, and does not throw", async () => {
    const { cache } = openedOf();
    const id = await store(cache, HTTP, {});
    await cache.close();
    await cache.close();
    await cache.set(id, { server: "github", credentials: "", listedAt: LISTED_AT + 1 });
    await cache.markStale(id);
    await cache.delete(id);
    expect((await cache.getMany([id])).size).toBe(0);
    expect(await cache.list()).toEqual([]);
  });

  test("entries and identities survive a reopen; changes after close do not", async (context) => {
    const opened = openedOf();
    if (!opened.reopen) return context.skip("nothing outlives this cache");
    const entry = fullEntry();
    const id = await store(opened.cache, HTTP, entry);
    const identity = await opened.cache.identify(STDIO, { principal: "alice" });
    await opened.cache.close();
    await opened.cache.set(id, { server: "github", credentials: "", tools: [], listedAt: LISTED_AT + 1 });
    await opened.cache.delete(id);

    const reopened = await opened.reopen();
    expect(JSON.stringify((await read(reopened, id))?.tools)).toBe(JSON.stringify(entry.tools));
    expect(await reopened.identify(STDIO, { principal: "alice" })).toEqual(identity);
  });
}

async function store(
  cache: ToolCache,
  server: ResolvedServer,
  entry: Partial<CatalogEntry>,
): Promise<CatalogId> {
  const { id, credentials } = await cache.identify(server);
  await cache.set(id, { server: server.name, credentials, listedAt: LISTED_AT, ...entry });
  return id;
}

async function read(cache: ToolCache, id: CatalogId | undefined): Promise<CatalogEntry | undefined> {
  return id === undefined ? undefined : (await cache.getMany([id])).get(id);
}

/** Changes a definition, unless it is frozen, which protects it as well as a copy does. */
function rename(definition: ToolDefinition | undefined): void {
  if (definition && !Object.isFrozen(definition)) definition.name = "changed";
}
