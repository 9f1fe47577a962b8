import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createFakeToolCache, stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "./manager-fixture.ts";

const TOOLS = [
  tool("create_issue", { description: "Opens a new issue." }),
  tool("delete_branch", { description: "Deletes a branch." }),
  tool("merge_pull_request", { description: "Merges a pull request." }),
];

const found = (tools: readonly { readonly server: string; readonly originalName: string }[]) =>
  tools.map(({ server, originalName }) => `${server}/${originalName}`);

async function started(options: Parameters<typeof createFixture>[1] = {}) {
  const fixture = createFixture(["a", "b"], { tools: TOOLS, ...options });
  await fixture.manager.start();
  return fixture;
}

describe("searchTools of a manager", () => {
  it("finds what is offered, with the descriptors of tools()", async () => {
    const { manager } = await started();
    await using _ = manager;
    const [best] = manager.searchTools("remove a branch", { servers: ["b"] });
    expect(manager.tools()).toContain(best);
    expect(best).toMatchObject({ server: "b", originalName: "delete_branch" });
    expect(manager.searchTools("mcp__a__create_issue")[0]?.server).toBe("a");
  });

  it("does not find what a policy blocks or a server's filter leaves out", async () => {
    const { manager } = createFixture(
      [stdioDefinition("a", { tools: { exclude: ["create_issue"] } }), stdioDefinition("b")],
      {
        tools: TOOLS,
        toolPolicies: [(known) => (known.originalName === "delete_branch" ? { blocked: "no" } : known)],
      },
    );
    await using _ = manager;
    await manager.start();
    expect(found(manager.searchTools("create_issue"))).toEqual(["b/create_issue"]);
    expect(manager.searchTools("delete_branch")).toEqual([]);
  });

  it("finds what a policy has written, and not what it has removed", async () => {
    const { manager } = await started({
      toolPolicies: [(known) => ({ ...known, description: "Bakes bread." })],
    });
    await using _ = manager;
    expect(manager.searchTools("bake bread", { limit: 100 })).toHaveLength(6);
    expect(manager.searchTools("opens")).toEqual([]);
  });

  it("follows a server whose tools change, and one that is disconnected", async () => {
    const { manager, sessions } = await started();
    await using _ = manager;
    expect(manager.searchTools("play a song")).toEqual([]);
    sessions.get("a")?.setTools([...TOOLS, tool("play_song", { description: "Plays a song." })]);
    await manager.refreshTools("a");
    expect(found(manager.searchTools("play a song"))).toEqual(["a/play_song"]);
    await manager.disconnect("b");
    expect(found(manager.searchTools("delete_branch"))).toEqual(["a/delete_branch"]);
  });

  it("makes the index in the background for an empty query, so that the first search need not", async () => {
    let reads = 0;
    const many = Array.from({ length: 300 }, (_, index) =>
      tool(`report_${index}`, { description: "Reports." }),
    );
    const { manager } = await started({
      tools: many,
      toolPolicies: [
        (known) => ({
          ...known,
          // A policy's own object is offered as it is: whoever reads the schema is the index.
          definition: Object.defineProperty({ ...known.definition }, "inputSchema", {
            get: () => {
              reads += 1;
              return known.definition.inputSchema;
            },
            enumerable: true,
          }),
        }),
      ],
    });
    await using _ = manager;
    expect(manager.tools()).toHaveLength(600);
    const before = reads;
    expect(manager.searchTools("")).toEqual([]);
    expect(reads).toBe(before);
    await vi.waitFor(() => expect(reads).toBe(before + 600));
    expect(manager.searchTools("report_7", { limit: 1 })).toHaveLength(1);
    expect(reads).toBe(before + 600);
  });

  it("lets a program rank", async () => {
    const { manager } = await started({ search: { rank: (_query, [, second]) => (second ? [second] : []) } });
    await using _ = manager;
    expect(manager.searchTools("create_issue")).toHaveLength(1);
    expect(manager.searchTools("create_issue")[0]?.server).toBe("b");
  });

  it("connects no server, unless it is asked to", async () => {
    const cache = createFakeToolCache();
    const first = createFixture(["a", "b"], { tools: TOOLS, cache });
    await first.manager.start();
    await first.manager.close();
    const servers = ["a", "b"].map((name) => stdioDefinition(name, { lazy: true }));
    const { manager, connector } = createFixture(servers, { tools: TOOLS, cache });
    await using _ = manager;
    await manager.start();
    expect(manager.searchTools("create_issue", { servers: ["b"] })).toHaveLength(1);
    expect(connector.attempts).toHaveLength(0);
    manager.searchTools("create_issue", { servers: ["b"], warmUp: true });
    await manager.ready(["b"]);
    expect(connector.attempts.map(({ server }) => server.name)).toEqual(["b"]);
  });

  it.each([{ rank: 1 }, { ranks: () => [] }, 1])("refuses the option %j", (search) => {
    expect(() => createFixture(["a"], { search: search as never })).toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID" }),
    );
  });
});

describe("searchTools of a view", () => {
  it("finds only what the view shows, with filters of all kinds", async () => {
    const { manager } = await started();
    await using _ = manager;
    const view = manager.view({ servers: ["a"], tools: ["create_issue", "merge_*"] });
    expect(found(view.searchTools("create_issue"))).toEqual(["a/create_issue"]);
    expect(view.searchTools("delete_branch")).toEqual([]);
    expect(found(view.view({ tools: ["merge_*"] }).searchTools("merge pull request"))).toEqual([
      "a/merge_pull_request",
    ]);
    const asked = await manager.viewFor({ servers: async (server) => server === "b" });
    expect(found(asked.searchTools("create_issue"))).toEqual(["b/create_issue"]);
    expect(found(view.searchTools("create_issue", { tools: () => true, servers: ["a", "b"] }))).toEqual([
      "a/create_issue",
    ]);
  });

  it("follows a filter whose answer changes, and finds nothing once it is closed", async () => {
    const { manager } = await started();
    await using _ = manager;
    let server = "a";
    const view = manager.view({ servers: (name) => name === server });
    expect(found(view.searchTools("create_issue"))).toEqual(["a/create_issue"]);
    server = "b";
    expect(found(view.searchTools("create_issue"))).toEqual(["b/create_issue"]);
    await view.close();
    expect(view.searchTools("create_issue")).toEqual([]);
  });
});

describe("a program that does not search", () => {
  it("does not load the index", () => {
    const manager = fileURLToPath(new URL("../dist/index.js", import.meta.url));
    const script = `
      import { registerHooks } from "node:module";
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { createMcpManager } = await import(${JSON.stringify(manager)});
      const manager = createMcpManager({ servers: [], connect: async () => {}, resolve: async () => {} });
      await manager.start();
      const has = () => loaded.some((url) => url.includes("minisearch"));
      const before = has();
      manager.searchTools("anything");
      console.log(JSON.stringify([before, has()]));
      await manager.close();`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect(JSON.parse(printed)).toEqual([false, true]);
  });
});
