import { langchainTools } from "@jackfield/mcp-langchain";
import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { openaiAgents, openMcp } from "../src/index.ts";
import { everything, temporaryFolder } from "./fixture.ts";
import { scriptedServer } from "./scripted-server.ts";

useLeakCheck();

describe("the openaiAgents preset", () => {
  it("lists connected servers in configured order, and reconnects only failed ones", async () => {
    using folder = temporaryFolder();
    const [failing, healthy] = [scriptedServer(folder, "failing"), scriptedServer(folder, "healthy")];
    failing.behave({ exitOn: "initialize" });
    const servers = { healthy: healthy.definition, failing: failing.definition, everything };
    const mcp = await openMcp({ ...openaiAgents(), servers });
    try {
      const active = () => mcp.servers().map(({ name }) => name);
      expect(active()).toEqual(["healthy", "everything"]);
      expect(mcp.report.failed).toMatchObject([{ name: "failing", error: { server: "failing" } }]);
      await expect(mcp.reconnect(undefined, { only: "failed" })).rejects.toMatchObject({ server: "failing" });
      failing.behave({});
      await mcp.reconnect(undefined, { only: "failed" });
      expect(active()).toEqual(["healthy", "failing", "everything"]);
      const starts = healthy.record().filter(({ event }) => event === "started");
      expect(starts).toHaveLength(1);
      await mcp.callTool({ server: "failing", tool: "echo" }, {});
    } finally {
      await mcp.close();
    }
  });

  it("rejects with `strict` if a server fails, and leaves no process running", async () => {
    using folder = temporaryFolder();
    const healthy = scriptedServer(folder, "healthy");
    const failing = stdioFaultServer({ exitOn: "initialize", exitCode: 3 });
    const opening = openMcp({
      ...openaiAgents({ strict: true }),
      servers: { healthy: healthy.definition, failing },
    });
    await expect(opening).rejects.toMatchObject({ server: "failing", retryable: true });
    const events = healthy.record().map(({ event }) => event);
    // It may have been closed before its program ran.
    expect(events.filter((event) => event === "started").length).toBeLessThanOrEqual(1);
    expect(events.at(-1) ?? "ended").toBe("ended");
  });

  it("keeps failed servers listed without `dropFailed`", async () => {
    const failing = stdioFaultServer({ exitOn: "initialize" });
    const mcp = await openMcp({ ...openaiAgents({ dropFailed: false }), servers: { failing } });
    try {
      expect(mcp.servers()).toMatchObject([{ name: "failing", status: "failed", retryAt: undefined }]);
    } finally {
      await mcp.close();
    }
  });

  it("refuses invalid arguments before sending, filters tools, and rejects an aborted call", async () => {
    using folder = temporaryFolder();
    const server = scriptedServer(folder, "s");
    const needsId = { type: "object" as const, properties: { id: { type: "string" } }, required: ["id"] };
    const tools = ["read", "write", "odd"].map((name) => ({ name, inputSchema: needsId }));
    server.behave({ tools, silentOn: ["tools/call"] });
    const mcp = await openMcp({ ...openaiAgents(), servers: { s: server.definition } });
    try {
      const agent = mcp.view({
        tools: ({ originalName }) => {
          if (originalName === "odd") throw new Error("the filter fails");
          return originalName !== "write";
        },
      });
      const [read, ...others] = langchainTools(agent);
      expect(others).toEqual([]);
      expect(read?.name).toBe("mcp_s__read");
      const called = () =>
        server.record().filter((one) => one.event === "received" && one.method === "tools/call").length;
      await expect(agent.callTool("mcp_s__read", {})).rejects.toMatchObject({
        code: "MCP_ARGUMENTS_INVALID",
      });
      expect(called()).toBe(0);
      const abort = new AbortController();
      const running = read?.invoke({ id: "1" }, { signal: abort.signal });
      const refused = expect(running).rejects.toThrow();
      abort.abort();
      await refused;
    } finally {
      await mcp.close();
    }
  });

  it.each([
    [undefined, 5_000, 600_000],
    [3_600_000, 3_600_000, 3_600_000],
    [0, 0, 0],
  ])("with callTimeoutMs %j sets no shorter total limit", (given, callTimeoutMs, maxTotalMs) => {
    const { limits } = openaiAgents({ callTimeoutMs: given });
    expect(limits).toMatchObject({ connectTimeoutMs: 10_000, callTimeoutMs, maxTotalMs });
  });
});
