import type { ServerDefinition, ToolDefinition, ToolListPolicy } from "@jackfield/mcp-core";
import { createFakeToolCache, stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { NAMING_PRESETS, type NamingOptions } from "../src/index.ts";
import { tool } from "./manager-fixture.ts";
import { startedManager } from "./tools/started-manager.ts";

/** Names that every object has, or that JavaScript gives a meaning of its own. */
const ODD = [
  "constructor",
  "__proto__",
  "then",
  "toJSON",
  "hasOwnProperty",
  "toString",
  "valueOf",
  "prototype",
];

describe.each(Object.entries<NamingOptions>(NAMING_PRESETS))(
  "tools and servers named like JavaScript built-ins, under the preset %s",
  (_runtime, naming) => {
    const servers = new Map(
      ODD.map((server) => [server, [...ODD, `only_${server}`].map((name) => tool(name))]),
    );

    it("are all offered under distinct names", async () => {
      const { manager } = await startedManager(servers, { naming });
      const names = manager.tools().map(({ name }) => name);
      expect(new Set(names).size).toBe(ODD.length * (ODD.length + 1));
      expect(manager.servers().map(({ name, tools }) => [name, tools])).toEqual(
        ODD.map((name) => [name, ODD.length + 1]),
      );
      await manager.close();
    });

    it("can be called by exposed name, and by server and original name", async () => {
      const { manager, session } = await startedManager(servers, { naming });
      for (const { name, server, originalName } of manager.tools()) {
        await manager.callTool(name, { by: "name" });
        await manager.callTool({ server, tool: originalName }, { by: "server" });
      }
      for (const server of ODD) {
        const called = session(server).requests.map(({ params }) => params.name);
        expect(called.sort()).toEqual([...ODD, ...ODD, `only_${server}`, `only_${server}`].sort());
      }
      await manager.close();
    });
  },
);

describe("names of JavaScript built-ins", () => {
  it("are checked as required arguments", async () => {
    const needy = tool("t", { inputSchema: { type: "object", required: ["constructor", "__proto__"] } });
    const { manager, session } = await startedManager(new Map([["s", [needy]]]));
    await expect(manager.callTool("mcp__s__t", {})).rejects.toThrow(
      'missing required argument "__proto__", "constructor"',
    );
    const args = JSON.parse('{"constructor": 1, "__proto__": 2}');
    await manager.callTool("mcp__s__t", args);
    expect(JSON.stringify(session("s").requests[0]?.params.arguments)).toBe(
      '{"constructor":1,"__proto__":2}',
    );
    await manager.close();
  });

  it("are stored in the catalog and reported in toolsChanged", async () => {
    const cache = createFakeToolCache();
    const { manager, session } = await startedManager(new Map([["__proto__", [tool("then")]]]), { cache });
    const changes: unknown[] = [];
    manager.on("toolsChanged", (change) => changes.push(change));
    session("__proto__").setTools([tool("then"), tool("__proto__")]);
    await manager.refreshTools("__proto__");
    await manager.disconnect("__proto__");
    expect(changes).toEqual([
      { server: "__proto__", added: ["mcp__proto____proto__"], removed: [], changed: [] },
      { server: "__proto__", added: [], removed: ["mcp__proto____proto__", "mcp__proto__then"], changed: [] },
    ]);
    await manager.close();
    expect([...cache.entries.values()][0]?.tools?.map(({ name }) => name)).toEqual(["then", "__proto__"]);
  });

  it("are rejected as unknown if no server or tool has them", async () => {
    const { manager } = await startedManager(new Map([["s", [tool("t")]]]));
    for (const name of ODD) {
      await expect(manager.callTool(name)).rejects.toMatchObject({ code: "MCP_TOOL_UNKNOWN" });
      await expect(manager.callTool({ server: "s", tool: name })).rejects.toMatchObject({
        code: "MCP_TOOL_UNKNOWN",
      });
      await expect(manager.callTool({ server: name, tool: "t" })).rejects.toMatchObject({
        code: "MCP_SERVER_UNKNOWN",
      });
    }
    await manager.close();
  });
});

describe("[L32] a mangled tool name", () => {
  const fs = stdioDefinition("fs", { tools: { exclude: ["wipe_disk"] } });
  const servers = new Map([
    [fs, ["read_file", "wipe_disk", "format_disk"].map((name) => tool(name))],
    [stdioDefinition("docs"), [tool("search"), tool("read")]],
  ]);
  const hideFormat: ToolListPolicy = (offered) =>
    offered.originalName === "format_disk" ? { blocked: "too dangerous" } : offered;

  it.each(["functions.mcp__fs__read_file", "fs:read_file", "FS/Read-File", "read_file"])(
    "%s reaches the only tool that it can mean",
    async (name) => {
      const { manager, session } = await startedManager(servers);
      await manager.callTool(name, { path: "x" });
      expect(session("fs").requests).toMatchObject([
        { params: { name: "read_file", arguments: { path: "x" } } },
      ]);
      await manager.close();
    },
  );

  it.each(["wipe_disk", "mcp__fs__wipe_disk", "fs:format_disk", "mcp__fs__format_disk"])(
    "%s stays unknown if a filter or policy hides the tool, and is not suggested",
    async (name) => {
      const { manager, session } = await startedManager(servers, { toolPolicies: [hideFormat] });
      const refused = manager.callTool(name);
      await expect(refused).rejects.toMatchObject({ code: "MCP_TOOL_UNKNOWN", outcome: "not-sent" });
      await expect(refused).rejects.not.toThrow(/similar names.*disk/);
      expect(session("fs").requests).toEqual([]);
      await manager.close();
    },
  );

  it("that matches no tool is rejected with similar names", async () => {
    const { manager } = await startedManager(servers);
    await expect(manager.callTool("mcp__fs__raed_file")).rejects.toThrow(
      'No tool is called "mcp__fs__raed_file"; similar names: "mcp__fs__read_file", "mcp__fs__format_disk".',
    );
    await expect(manager.callTool({ server: "docs", tool: "serach" })).rejects.toThrow(
      'Server "docs" offers no tool "serach"; similar names: "search".',
    );
    await expect(manager.callTool("?")).rejects.toThrow('No tool is called "?".');
    await manager.close();
  });
});

describe("the naming option", () => {
  it("renames no tool when a server connects late, if names include the server", async () => {
    const servers = new Map<string | ServerDefinition, ToolDefinition[]>([
      ["a", [tool("b_c")]],
      [stdioDefinition("a_b", { lazy: true }), [tool("c")]],
    ]);
    const { manager } = await startedManager(servers, { naming: { strategy: "mcp_server_tool" } });
    const before = manager.tools().map(({ name }) => name);
    await manager.refreshTools("a_b");
    expect(manager.tools().map(({ name }) => name)).toEqual([...before, "mcp_a_b_c"].sort());
    await manager.close();
  });

  it("emits toolsChanged for both servers when the names of two tools collide", async () => {
    const servers = new Map<string | ServerDefinition, ToolDefinition[]>([
      ["a", [tool("search")]],
      [stdioDefinition("b", { lazy: true }), [tool("search")]],
    ]);
    const { manager } = await startedManager(servers, { naming: NAMING_PRESETS.hexos });
    const changes: unknown[] = [];
    manager.on("toolsChanged", (change) => changes.push(change));
    await manager.refreshTools("b");
    expect(changes).toEqual([
      { server: "b", added: ["mcp__b__search"], removed: [], changed: [] },
      { server: "a", added: ["mcp__a__search"], removed: ["search"], changed: [] },
    ]);
    await expect(manager.callTool("search")).rejects.toThrow(
      'similar names: "mcp__a__search", "mcp__b__search"',
    );
    await manager.close();
  });
});
