import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { hexos, openMcp } from "../src/index.ts";
import { everything, temporaryFolder } from "./fixture.ts";
import { scriptedServer } from "./scripted-server.ts";

useLeakCheck();

describe("the hexos preset", () => {
  it("starts a lazy server at its first call, and sends the tool's original name", async () => {
    using folder = temporaryFolder();
    const lazy = scriptedServer(folder, "lazy");
    lazy.behave({ tools: [{ name: "do.it", inputSchema: { type: "object" } }] });
    const servers = { everything, lazy: { ...lazy.definition, lazy: true } };
    const mcp = await openMcp({ ...hexos(), servers, cache: { path: folder.file("cache") } });
    try {
      expect(mcp.servers()).toMatchObject([
        { name: "everything", status: "ready" },
        { name: "lazy", status: "idle" },
      ]);
      expect(lazy.record()).toEqual([]);
      await Promise.all([1, 2].map(() => mcp.callTool({ server: "lazy", tool: "do.it" }, {})));
      const events = lazy.record();
      expect(events.filter(({ event }) => event === "started")).toHaveLength(1);
      expect(events.find((one) => one.event === "received" && one.method === "tools/call")).toMatchObject({
        params: { name: "do.it" },
      });
      expect(mcp.tools().map(({ name }) => name)).toContain("do_it");
    } finally {
      await mcp.close();
    }
    const again = await openMcp({ ...hexos(), servers, cache: { path: folder.file("cache") } });
    try {
      expect(again.tools().find(({ name }) => name === "do_it")).toMatchObject({
        server: "lazy",
        origin: "cache",
      });
      expect(again.servers()).toMatchObject([{}, { name: "lazy", status: "idle" }]);
    } finally {
      await again.close();
    }
  });

  it("rejects after two retries if a server fails, and leaves no process running", async () => {
    using folder = temporaryFolder();
    const [healthy, failing] = [scriptedServer(folder, "healthy"), scriptedServer(folder, "failing")];
    failing.behave({ exitOn: "start" });
    const servers = { healthy: healthy.definition, failing: failing.definition };
    await expect(openMcp({ ...hexos(), servers, cache: false })).rejects.toMatchObject({ server: "failing" });
    expect(healthy.record().at(-1)?.event).toBe("ended");
    const { retry } = hexos();
    expect(retry).toMatchObject({ maxRetries: 2, initialDelayMs: 250, factor: 2, maxDelayMs: 2_000 });
  });

  it("gives each agent only the tools of its allowed servers", async () => {
    const mcp = await openMcp({
      ...hexos(),
      servers: { everything, other: stdioFaultServer() },
      cache: false,
    });
    try {
      const agent = (allowedMcpServers: readonly string[]) => mcp.view({ servers: allowedMcpServers });
      expect(agent([]).tools()).toEqual([]);
      const [limited, all] = [agent(["other"]), agent(["other", "everything"])];
      expect(new Set(limited.tools().map(({ server }) => server))).toEqual(new Set(["other"]));
      expect(all.tools()).toEqual(mcp.tools());
      expect(limited.tools()[0]).toMatchObject({ server: "other", originalName: expect.any(String) });
      const both = mcp.tools().filter(({ originalName }) => originalName === "echo");
      expect(new Set(both.map(({ name }) => name)).size).toBe(2); // Nothing is overwritten silently.
    } finally {
      await mcp.close();
    }
  });

  it("lists a server's tools again on request, and can be opened again after close()", async () => {
    const tools = ["before", "after"].map((name) => ({ name, inputSchema: { type: "object" as const } }));
    const growing = stdioFaultServer({ tools: tools.slice(0, 1), listChangedAfterCall: tools });
    const options = { ...hexos(), servers: { growing }, cache: false } as const;
    const mcp = await openMcp(options);
    await mcp.callTool("before", {});
    await mcp.refreshTools("growing");
    expect(mcp.tools().map(({ name }) => name)).toEqual(["after", "before"]);
    await mcp.close();
    await mcp.close();
    await expect(mcp.callTool("before", {})).rejects.toMatchObject({ code: "MCP_CLOSED" });
    const again = await openMcp(options);
    expect(again.tools().map(({ name }) => name)).toEqual(["before"]);
    await again.close();
  });
});
