import { McpError, type ToolDefinition, type ToolDescriptor, type ToolsChanged } from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import type { McpManager } from "../../src/index.ts";
import {
  createAsyncToolView,
  createToolView,
  type ToolView,
  type ViewParent,
} from "../../src/views/tool-view.ts";
import { asyncViewRules } from "../../src/views/view-filter.ts";
import { createFixture } from "../manager-fixture.ts";
import { startedManager } from "../tools/started-manager.ts";

const tool = (name: string): ToolDefinition => ({ name, inputSchema: { type: "object" } });
const log = vi.fn();

/** Two servers, two tools each. */
async function twoServers() {
  return startedManager(
    new Map([
      ["files", [tool("read"), tool("write")]],
      ["web", [tool("fetch"), tool("search")]],
    ]),
  );
}

/** The manager as the parent of its views. */
const parentOf = (manager: McpManager) => manager as McpManager & ViewParent;

const namesOf = (view: { tools(): readonly { readonly name: string }[] }) =>
  view.tools().map(({ name }) => name);

it("listeners of a view that come and go leave nothing behind, and closing it removes those it still has", async () => {
  const { manager } = await twoServers();
  await using _ = manager;
  const counts = { added: 0, removed: 0 };
  const parent: ViewParent = Object.create(parentOf(manager), {
    listen: {
      value: () => {
        counts.added += 1;
        return () => {
          counts.removed += 1;
        };
      },
    },
    on: { value: () => () => {} },
    tools: { value: () => [] },
    ended: { value: new AbortController().signal },
  });
  const view = createToolView(parent, {}, log);
  for (let time = 0; time < 10_000; time += 1) view.on("diagnostic", () => {})();
  expect(counts).toEqual({ added: 10_000, removed: 10_000 });
  const stop = view.on("diagnostic", () => {});
  await view.close();
  // A view that remembers the others would remove them once more.
  expect(counts.removed).toBe(10_001);
  await view.close();
  expect(counts.removed).toBe(10_001);
  stop();
});

describe("a view", () => {
  it("offers only the servers it names, in tools, calls and snapshots", async () => {
    const { manager, session } = await twoServers();
    await using _ = manager;
    const view = createToolView(parentOf(manager), { servers: ["files"] }, log);
    expect(namesOf(view)).toEqual(["mcp__files__read", "mcp__files__write"]);
    expect(view.servers().map(({ name }) => name)).toEqual(["files"]);
    await view.callTool("mcp__files__read", { path: "a" });
    expect(session("files").requests).toHaveLength(1);
    for (const ref of ["mcp__web__fetch", { server: "web", tool: "fetch" }])
      await expect(view.callTool(ref)).rejects.toMatchObject({
        code: "MCP_TOOL_UNKNOWN",
        outcome: "not-sent",
      });
    expect(session("web").requests).toEqual([]);
  });

  it.each([
    [["mcp__web__*"], ["mcp__web__fetch", "mcp__web__search"]],
    [
      ["read", "search"],
      ["mcp__files__read", "mcp__web__search"],
    ],
    [["mcp__files__write"], ["mcp__files__write"]],
    [["*"], ["mcp__files__read", "mcp__files__write", "mcp__web__fetch", "mcp__web__search"]],
    [[], []],
  ])("matches tools by exposed or original name: %j", async (tools, expected) => {
    const { manager } = await twoServers();
    await using _ = manager;
    expect(namesOf(createToolView(parentOf(manager), { tools }, log))).toEqual(expected);
  });

  it("[L16] asks its filter function on each read, independently of other views", async () => {
    const { manager } = await twoServers();
    await using _ = manager;
    let mayWrite = false;
    const parent = parentOf(manager);
    const writer = createToolView(
      parent,
      { tools: ({ originalName }) => mayWrite || originalName !== "write" },
      log,
    );
    const reader = createToolView(parent, { tools: ["read"] }, log);
    expect(namesOf(writer)).not.toContain("mcp__files__write");
    mayWrite = true;
    expect(namesOf(writer)).toContain("mcp__files__write");
    expect(namesOf(reader)).toEqual(["mcp__files__read"]);
    expect(writer.tools()).toBe(writer.tools());
  });

  it("hides a tool for which the filter throws, and logs a warning", async () => {
    const { manager } = await twoServers();
    await using _ = manager;
    log.mockClear();
    const tools = ({ originalName }: { originalName: string }) => {
      if (originalName === "fetch") throw new Error("no");
      return true;
    };
    expect(namesOf(createToolView(parentOf(manager), { tools }, log))).not.toContain("mcp__web__fetch");
    expect(log).toHaveBeenCalledWith("warn", expect.stringContaining("hides a tool"), expect.anything());
  });

  it("emits toolsChanged only for tools that it shows", async () => {
    const { manager, session } = await twoServers();
    await using _ = manager;
    const told: ToolsChanged[] = [];
    const view = createToolView(parentOf(manager), { tools: ["read", "append"] }, log);
    view.on("toolsChanged", (change) => told.push(change));
    session("web").setTools([tool("other")]);
    await manager.refreshTools("web");
    session("files").setTools([tool("append"), tool("delete"), tool("read")]);
    await manager.refreshTools("files");
    expect(told).toEqual([{ server: "files", added: ["mcp__files__append"], removed: [], changed: [] }]);
  });

  it("emits toolsChanged per server on close(), though all tools disappear at once", async () => {
    const { manager } = await twoServers();
    const told: ToolsChanged[] = [];
    createToolView(parentOf(manager), { tools: ["read", "*web*"] }, log).on("toolsChanged", (change) =>
      told.push(change),
    );
    await manager.close();
    expect(told).toEqual([
      { server: "files", added: [], removed: ["mcp__files__read"], changed: [] },
      { server: "web", added: [], removed: ["mcp__web__fetch", "mcp__web__search"], changed: [] },
    ]);
  });

  it("emits toolsChanged even if an earlier listener has read the view already", async () => {
    const { manager, session } = await twoServers();
    await using _ = manager;
    const views: ToolView[] = [];
    manager.on("toolsChanged", () => void views.map((view) => view.tools()));
    const view = createToolView(parentOf(manager), {}, log);
    views.push(view);
    const inner = view.view({ servers: ["files"] });
    views.push(inner);
    const told: string[] = [];
    view.on("toolsChanged", ({ added }) => told.push(`view ${added}`));
    inner.on("toolsChanged", ({ added }) => told.push(`inner ${added}`));
    session("files").setTools([tool("append"), tool("read"), tool("write")]);
    await manager.refreshTools("files");
    expect(told.sort()).toEqual(["inner mcp__files__append", "view mcp__files__append"]);
  });

  it("releases each listener that it has added to its manager, once, with the listener or with the view", async () => {
    const { manager } = await twoServers();
    await using _ = manager;
    const released: string[] = [];
    const parent = parentOf(manager);
    const listen: ViewParent["listen"] = parent.listen.bind(parent);
    vi.spyOn(parent, "listen").mockImplementation((event, ...rest) => {
      const release = listen(event, ...rest);
      return () => {
        released.push(event);
        release();
      };
    });
    const view = createToolView(parent, {}, log);
    const stop = view.on("statusChanged", () => {});
    view.on("catalogChanged", () => {});
    stop();
    expect(released).toEqual(["statusChanged"]);
    await view.close();
    expect(released).toEqual(["statusChanged", "catalogChanged"]);
  });

  it("[C23] offers nothing after close(), while its manager continues", async () => {
    const { manager } = await twoServers();
    await using _ = manager;
    const view = createToolView(parentOf(manager), {}, log);
    await view.close();
    await view.close();
    expect(view.tools()).toEqual([]);
    expect(view.servers()).toEqual([]);
    await expect(view.callTool("mcp__files__read")).rejects.toMatchObject({ code: "MCP_CLOSED" });
    expect(manager.servers().map(({ status }) => status)).toEqual(["ready", "ready"]);
    await manager.callTool("mcp__files__read");
  });

  it("of a view shows only what both filters allow", async () => {
    const { manager } = await twoServers();
    await using _ = manager;
    const view = createToolView(parentOf(manager), { servers: ["files"] }, log);
    expect(namesOf(view.view({ tools: ["*r*"] }))).toEqual(["mcp__files__read", "mcp__files__write"]);
    expect(namesOf(view.view({ servers: ["web"] }))).toEqual([]);
  });
});

describe("a view with an async filter", () => {
  it("resolves when the filter has decided on every tool", async () => {
    const { manager } = await twoServers();
    await using _ = manager;
    const tools = async ({ originalName }: { originalName: string }) => originalName === "read";
    expect(namesOf(await createAsyncToolView(parentOf(manager), { tools }, log))).toEqual([
      "mcp__files__read",
    ]);
  });

  it("hides a server for which the filter rejects", async () => {
    const { manager } = await twoServers();
    await using _ = manager;
    const servers = async (server: string) => {
      if (server === "web") throw new Error("no");
      return true;
    };
    const view = await createAsyncToolView(parentOf(manager), { servers }, log);
    expect(namesOf(view)).toEqual(["mcp__files__read", "mcp__files__write"]);
  });

  it("hides a new tool until the filter has decided, then emits toolsChanged", async () => {
    const { manager, session } = await twoServers();
    await using _ = manager;
    const judged = Promise.withResolvers<boolean>();
    const tools = ({ originalName }: { originalName: string }) =>
      originalName === "append" ? judged.promise : Promise.resolve(true);
    const view = await createAsyncToolView(parentOf(manager), { tools }, log);
    const added = Promise.withResolvers<readonly string[]>();
    view.on("toolsChanged", (change) => {
      if (change.added.includes("mcp__files__append")) added.resolve(change.added);
    });
    session("files").setTools([tool("append"), tool("read")]);
    await manager.refreshTools("files");
    expect(namesOf(view)).not.toContain("mcp__files__append");
    judged.resolve(true);
    await added.promise;
    expect(namesOf(view)).toContain("mcp__files__append");
  });

  it("emits toolsChanged for a tool without waiting for the decision on another", async () => {
    const { manager, session } = await twoServers();
    await using _ = manager;
    const tools = ({ originalName }: ToolDescriptor) =>
      originalName === "slow" ? new Promise<boolean>(() => {}) : Promise.resolve(true);
    const view = await createAsyncToolView(parentOf(manager), { tools }, log);
    const told: (readonly string[])[] = [];
    view.on("toolsChanged", ({ added }) => told.push(added));
    session("files").setTools([tool("slow"), tool("quick"), tool("other"), tool("read"), tool("write")]);
    await manager.refreshTools("files");
    await vi.waitFor(() => expect(told).toEqual([["mcp__files__other", "mcp__files__quick"]]));
    await view.close();
  });

  it("emits nothing for its initial tools, and nothing after close()", async () => {
    const { manager, session } = await twoServers();
    await using _ = manager;
    const verdicts = Promise.withResolvers<boolean>();
    const tools = ({ originalName }: ToolDescriptor) => (originalName === "late" ? verdicts.promise : true);
    const view = await createAsyncToolView(parentOf(manager), { tools }, log);
    const told: ToolsChanged[] = [];
    view.on("toolsChanged", (change) => told.push(change));
    session("files").setTools([tool("append"), tool("read"), tool("write")]);
    await manager.refreshTools("files");
    await vi.waitFor(() =>
      expect(told).toEqual([{ server: "files", added: ["mcp__files__append"], removed: [], changed: [] }]),
    );
    session("files").setTools([tool("append"), tool("late"), tool("read"), tool("write")]);
    await manager.refreshTools("files");
    await view.close();
    verdicts.resolve(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toHaveLength(1);
  });

  it("keeps its tools when their origin changes, without asking the filter again", async () => {
    const { manager, session } = await twoServers();
    await using _ = manager;
    const tools = vi.fn(async ({ originalName }: ToolDescriptor) => originalName !== "write");
    const view = await createAsyncToolView(parentOf(manager), { tools }, log);
    const shown = ["mcp__files__read", "mcp__web__fetch", "mcp__web__search"];
    session("files").lose(new McpError("MCP_SERVER_EXITED", "Gone."));
    expect(view.tools().map(({ origin }) => origin)).toEqual(["cache", "live", "live"]);
    expect(namesOf(view)).toEqual(shown);
    await manager.reconnect("files");
    await manager.refreshTools("files");
    expect(view.tools().map(({ origin }) => origin)).toEqual(["live", "live", "live"]);
    expect(namesOf(view)).toEqual(shown);
    expect(tools).toHaveBeenCalledTimes(4);
  });

  it("still shows cached tools when they become live", async () => {
    const definition = stdioDefinition("a");
    const { signal } = new AbortController();
    const cache = createFakeToolCache();
    cache.seed(await passThroughResolver(definition, { signal }), { tools: [tool("read")] });
    const { manager, connector } = createFixture([definition], { cache, byHand: true });
    await using _ = manager;
    await manager.start();
    const view = await manager.viewFor({ tools: async () => true });
    expect(view.tools()).toMatchObject([{ name: "mcp__a__read", origin: "cache" }]);
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("read")] }));
    await manager.refreshTools("a");
    expect(view.tools()).toMatchObject([{ name: "mcp__a__read", origin: "live" }]);
    await view.callTool("mcp__a__read");
  });

  it("does not reuse a decision if requiresApproval or the server differs", async () => {
    const definition = tool("read");
    const descriptor = (requiresApproval: boolean, origin: "live" | "cache" = "live"): ToolDescriptor => ({
      name: "mcp__files__read",
      server: "files",
      originalName: "read",
      description: "",
      definition,
      origin,
      requiresApproval,
    });
    const rules = asyncViewRules(
      { tools: async ({ requiresApproval }) => !requiresApproval },
      log,
      () => false,
    );
    await rules.judge?.(["files"], [descriptor(false)]);
    expect(rules.hasTool(descriptor(false, "cache"))).toBe(true);
    expect(rules.hasTool(descriptor(true))).toBe(false);
    expect(rules.hasTool({ ...descriptor(false), server: "web" })).toBe(false);
    await rules.judge?.(["files"], [descriptor(true)]);
    expect(rules.hasTool(descriptor(true))).toBe(false);
  });
});
