import type { CatalogEntry, ServerSnapshot } from "@jackfield/mcp-core";
import { sqliteToolCache } from "@jackfield/mcp-tool-cache";
import { startHttpFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Mcp, type OpenMcpOptions, openMcp } from "../src/index.ts";
import { type TemporaryFolder, temporaryFolder } from "./fixture.ts";
import { type ScriptedServer, scriptedServer } from "./scripted-server.ts";

useLeakCheck();

const HOUR_MS = 3_600_000;
const ECHO = "mcp__server__echo";

let folder: TemporaryFolder;
let server: ScriptedServer;
beforeEach(() => {
  folder = temporaryFolder();
  server = scriptedServer(folder, "server");
});
afterEach(() => folder[Symbol.dispose]());

/** Opens the runtime, calls a tool, and closes it when the server is listed. Returns the server's snapshot. */
async function callOnce(
  servers: OpenMcpOptions["servers"] = { server: server.definition },
): Promise<ServerSnapshot | undefined> {
  const mcp = await openMcp({ servers, cache: { path: folder.file("cache") } });
  try {
    await mcp.callTool(ECHO, { text: "hello" });
    await listed(mcp);
    return mcp.servers()[0];
  } finally {
    await mcp.close();
  }
}

/** A call is answered as soon as there is a session; the server's era is stored only with its list. */
function listed(mcp: Mcp): Promise<unknown> {
  return vi.waitUntil(() => mcp.servers()[0]?.toolsFrom === "live");
}

/** The server's events since the last call of the result: `started` for each process, and the methods of requests. */
function createRecord(): () => string[] {
  let seen = 0;
  return () => {
    const events = server.record().flatMap((entry) => {
      if (entry.event === "received" && !entry.method.startsWith("notifications/")) return [entry.method];
      return entry.event === "started" ? ["started"] : [];
    });
    const news = events.slice(seen);
    seen = events.length;
    return news;
  };
}

/** The one entry in the catalog; `change` puts another in its place. */
async function catalogEntry(change?: (entry: CatalogEntry) => CatalogEntry): Promise<CatalogEntry> {
  const cache = sqliteToolCache({ path: folder.file("cache") });
  try {
    const [summary] = await cache.list();
    const entry = summary && (await cache.getMany([summary.id])).get(summary.id);
    if (!summary || !entry) throw new Error("The catalog is empty.");
    if (change) await cache.set(summary.id, change(entry));
    return entry;
  } finally {
    await cache.close();
  }
}

describe("the remembered era of a server", () => {
  it("holds a modern server's discovery answer, so that the next start skips server/discover", async () => {
    const record = createRecord();
    server.behave({ era: "modern", ttlMs: 5 * HOUR_MS, instructions: "Be kind." });
    const before = Date.now();
    expect(await callOnce()).toMatchObject({ era: "modern" });
    expect(record().slice(0, 2)).toEqual(["started", "server/discover"]);
    const { prior, ttlMs, cacheScope } = await catalogEntry();
    expect({ prior, ttlMs, cacheScope }).toMatchObject({
      prior: {
        era: "modern",
        discover: {
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {} },
          instructions: "Be kind.",
        },
      },
      ttlMs: 5 * HOUR_MS,
      cacheScope: "private",
    });
    expect(prior?.at).toBeGreaterThanOrEqual(before);
    expect(await callOnce()).toMatchObject({ era: "modern" });
    const [first, ...requests] = record();
    expect(first).toBe("started");
    expect(requests).toContain("tools/call");
    expect(requests).not.toContain("started");
    expect(requests).not.toContain("server/discover");
    expect((await catalogEntry()).prior).toEqual(prior);
  });

  it("skips server/discover for a legacy server for a day", async () => {
    const record = createRecord();
    expect(await callOnce()).toMatchObject({ era: "legacy" });
    expect(record().slice(0, 3)).toEqual(["started", "server/discover", "initialize"]);
    expect(await callOnce()).toMatchObject({ era: "legacy" });
    expect(record().slice(0, 2)).toEqual(["started", "initialize"]);
    await catalogEntry((entry) => ({
      ...entry,
      prior: { era: "legacy", at: Date.now() - 25 * HOUR_MS },
      listedAt: Date.now(),
    }));
    server.behave({ era: "modern" });
    expect(await callOnce()).toMatchObject({ era: "modern" });
    expect(record().slice(0, 2)).toEqual(["started", "server/discover"]);
    expect((await catalogEntry()).prior).toMatchObject({ era: "modern" });
  });

  it("is discarded with a warning if the server has changed, and negotiated again", async () => {
    server.behave({ era: "modern" });
    await callOnce();
    server.behave({ era: "legacy" });
    const record = createRecord();
    record();
    const log = vi.fn();
    const mcp = await openMcp({
      servers: { server: server.definition },
      cache: { path: folder.file("cache") },
      log,
    });
    try {
      await vi.waitUntil(() => mcp.servers()[0]?.era === "legacy");
      expect((await mcp.callTool(ECHO, { text: "hello" })).content).toHaveLength(1);
      await listed(mcp);
    } finally {
      await mcp.close();
    }
    expect(log).toHaveBeenCalledWith(
      "warn",
      expect.stringContaining("no longer supports the protocol version of the remembered handshake"),
      expect.anything(),
    );
    const events = record();
    expect(events.filter((event) => event === "started")).toHaveLength(2);
    expect(events.slice(events.lastIndexOf("started") + 1, -1)).toEqual(
      expect.arrayContaining(["server/discover", "initialize"]),
    );
    expect((await catalogEntry()).prior).toMatchObject({ era: "legacy" });
  });

  it("skips server/discover for a remote modern server, too", async () => {
    await using remote = await startHttpFaultServer({ era: "modern" });
    const servers = { server: { url: remote.url } };
    const asked = () => remote.requests.map(({ body }) => body?.method);
    await callOnce(servers);
    const count = asked().length;
    expect(asked()).toContain("server/discover");
    expect(await callOnce(servers)).toMatchObject({ era: "modern" });
    expect(asked().slice(count)).toContain("tools/call");
    expect(asked().slice(count)).not.toContain("server/discover");
    expect(remote.violations).toEqual([]);
  });
});

describe.each(["legacy", "modern"] as const)("list_changed from a %s server", (era) => {
  it("emits toolsChanged once for a burst of notifications", async () => {
    const later = { name: "later", inputSchema: { type: "object" as const } };
    server.behave({ era, listChangedAfterCall: [...echoOnly(), later] });
    const mcp: Mcp = await openMcp({ servers: { server: server.definition }, cache: false });
    try {
      const additions: string[][] = [];
      mcp.on("toolsChanged", ({ added }) => additions.push([...added]));
      await listening(era);
      await Promise.all(Array.from({ length: 20 }, () => mcp.callTool(ECHO, { text: "hello" })));
      await vi.waitUntil(() => additions.length > 0);
      await mcp.refreshTools("server");
      expect(additions).toEqual([["mcp__server__later"]]);
    } finally {
      await mcp.close();
    }
  });

  /** A modern server notifies only clients that have subscribed. */
  function listening(of: typeof era): Promise<unknown> {
    const isAsked = () =>
      server.record().some((entry) => entry.event === "received" && entry.method === "subscriptions/listen");
    return of === "modern" ? vi.waitUntil(isAsked) : Promise.resolve();
  }
});

function echoOnly() {
  const properties = { text: { type: "string" } };
  return [{ name: "echo", inputSchema: { type: "object" as const, properties } }];
}
