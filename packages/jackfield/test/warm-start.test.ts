import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ToolsChanged } from "@jackfield/mcp-core";
import { type HttpFaultServer, startHttpFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Mcp, type OpenMcpOptions, openMcp } from "../src/index.ts";
import { type TemporaryFolder, temporaryFolder } from "./fixture.ts";
import { type ScriptedServer, scriptedServer } from "./scripted-server.ts";

useLeakCheck();

const WARM_PROCESS = fileURLToPath(new URL("./fixtures/warm-process.mjs", import.meta.url));
const FRESH_START: OpenMcpOptions["startup"] = { staleAfterMs: 3_600_000 };

let folder: TemporaryFolder;
let server: ScriptedServer;
beforeEach(() => {
  folder = temporaryFolder();
  server = scriptedServer(folder, "server");
});
afterEach(() => folder[Symbol.dispose]());

function optionsFor(servers: OpenMcpOptions["servers"]): OpenMcpOptions {
  return { servers, cache: { path: folder.file("cache") }, startup: FRESH_START, retry: { maxRetries: 0 } };
}

/** Opens once, so that the catalog knows the servers, and returns the tools they had. */
async function fillCatalog(servers: OpenMcpOptions["servers"]): Promise<string[]> {
  const mcp = await openMcp(optionsFor(servers));
  await mcp.close();
  expect(mcp.report.failed).toEqual([]);
  return mcp.report.ready.map(({ name, tools }) => `${name}: ${tools}`);
}

function offered(mcp: Mcp): { name: string; origin: string }[] {
  return mcp.tools().map(({ name, origin }) => ({ name, origin }));
}

describe("a start with a catalog that knows every server", () => {
  it("returns all tools before any process starts, even with slow and hanging servers", async () => {
    const slow = scriptedServer(folder, "slow");
    const hanging = scriptedServer(folder, "hanging");
    const servers = { slow: slow.definition, hanging: hanging.definition };
    expect(await fillCatalog(servers)).toHaveLength(2);
    slow.behave({ answerLateMs: { initialize: 3_000, "server/discover": 3_000 } });
    hanging.behave({ stopReadingOn: "start" });
    const started = slow.record().length + hanging.record().length;
    const mcp = await openMcp(optionsFor(servers));
    try {
      expect(process.getActiveResourcesInfo()).not.toContain("ProcessWrap");
      expect(slow.record().length + hanging.record().length).toBe(started);
      expect(mcp.report.cached.map(({ name, toolsFrom }) => [name, toolsFrom])).toEqual([
        ["slow", "cache"],
        ["hanging", "cache"],
      ]);
      expect(offered(mcp)).toHaveLength(8);
      expect(offered(mcp).every(({ origin }) => origin === "cache")).toBe(true);
    } finally {
      await mcp.close();
    }
  });

  it("returns all tools before a connection is opened, and then connects", async () => {
    await using remote: HttpFaultServer = await startHttpFaultServer();
    const servers = { remote: { url: remote.url } };
    expect(await fillCatalog(servers)).toEqual(["remote: 4"]);
    const before = remote.connectionCount;
    const mcp = await openMcp(optionsFor(servers));
    try {
      expect(remote.connectionCount).toBe(before);
      expect(process.getActiveResourcesInfo()).not.toContain("TCPConnectWrap");
      expect(offered(mcp)).toHaveLength(4);
      const result = await mcp.callTool({ server: "remote", tool: "echo" }, { text: "hello" });
      expect(result.isError ?? false).toBe(false);
      expect(remote.connectionCount).toBeGreaterThan(before);
    } finally {
      await mcp.close();
    }
  });

  it("loads no SDK, HTTP client, parser or transport; of others' code the catalog's store alone", async () => {
    const servers = { one: server.definition };
    await fillCatalog(servers);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [WARM_PROCESS, JSON.stringify(optionsFor(servers))],
      { env: { ...process.env, JACKFIELD_HOME: folder.file("home") } },
    );
    const { loaded, active, tools } = JSON.parse(stdout) as {
      loaded: string[];
      active: string[];
      tools: { origin: string }[];
    };
    expect(tools).toHaveLength(4);
    expect(tools.every(({ origin }) => origin === "cache")).toBe(true);
    expect(active).not.toContain("ProcessWrap");
    const isOfStore = (url: string) => /\/(?:keyv|hookified)\/dist\//.test(url);
    const own = loaded.filter((url) => !isOfStore(url));
    expect(new Set(own.map(packageOf))).toEqual(
      new Set([
        "node",
        "jackfield",
        "mcp-config",
        "mcp-core",
        "mcp-guard",
        "mcp-manager",
        "mcp-tool-cache",
        "mcp-tools",
      ]),
    );
    // An import of any other copies all it exports, and loads streams, web cryptography or what colours a terminal on the way.
    expect(loaded.filter((url) => url.startsWith("node:")).filter(isNotCheap)).toEqual([]);
    expect(loaded.filter(isOfStore)).toHaveLength(2);
    expect(loaded.filter((url) => url.includes("/mcp-tool-cache/"))).toHaveLength(2);
    expect(loaded.filter(isWholePackage).map(packageOf).sort()).toEqual([
      "jackfield",
      "mcp-config",
      "mcp-core",
      "mcp-manager",
      "mcp-tool-cache",
    ]);
  });
});

describe("cached tools", () => {
  it("[R66] stay available as stale while the server is down, and a call fails unsent", async () => {
    const servers = { one: server.definition };
    await fillCatalog(servers);
    server.behave({ exitOn: "start", stderr: ["no database"] });
    const mcp = await openMcp({ ...optionsFor(servers), startup: { staleAfterMs: 0, gateMs: 0 } });
    try {
      expect(mcp.servers()).toMatchObject([{ name: "one", toolsFrom: "stale", tools: 4 }]);
      expect(offered(mcp)).toHaveLength(4);
      const call = mcp.callTool({ server: "one", tool: "echo" }, { text: "hello" });
      await expect(call).rejects.toMatchObject({ server: "one", outcome: "not-sent" });
    } finally {
      await mcp.close();
    }
  });

  it("[T76] are not offered for disabled or removed servers", async () => {
    const servers = { one: server.definition };
    await fillCatalog(servers);
    for (const now of [{ one: { ...server.definition, enabled: false } }, {}]) {
      const mcp = await openMcp(optionsFor(now));
      expect(mcp.tools()).toEqual([]);
      await mcp.close();
    }
  });

  it("[T52] [T78] are replaced by the server's real list, and toolsChanged reports the difference", async () => {
    const servers = { one: server.definition };
    const tool = (name: string, description: string) => ({
      name,
      description,
      inputSchema: { type: "object" as const },
    });
    server.behave({ tools: [tool("same", "S"), tool("changed", "Before"), tool("gone", "G")] });
    await fillCatalog(servers);
    server.behave({ tools: [tool("same", "S"), tool("changed", "beforE"), tool("new", "N")] });
    const mcp = await openMcp(optionsFor(servers));
    try {
      expect(offered(mcp).map(({ name }) => name)).toEqual([
        "mcp__one__changed",
        "mcp__one__gone",
        "mcp__one__same",
      ]);
      const change = await new Promise<ToolsChanged>((resolve) => mcp.on("toolsChanged", resolve));
      expect(change).toMatchObject({
        server: "one",
        added: ["mcp__one__new"],
        removed: ["mcp__one__gone"],
        changed: ["mcp__one__changed"],
      });
    } finally {
      await mcp.close();
    }
  });
});

/** Whether a package was loaded as a whole, and not only what a start needs of it. */
function isWholePackage(url: string): boolean {
  return url.endsWith("/dist/index.js");
}

function isNotCheap(url: string): boolean {
  return !["node:os", "node:path", "node:util"].includes(url); // The last is the store's.
}

/** The workspace's package a module belongs to, `node` for Node's own, and the path of any other. */
function packageOf(url: string): string {
  if (url.startsWith("node:")) return "node";
  return /\/packages\/([^/]+)\/dist\//.exec(url)?.[1] ?? url;
}
