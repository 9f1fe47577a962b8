import { aiSdkTools } from "@jackfield/mcp-ai-sdk";
import type { ToolDescriptor } from "@jackfield/mcp-core";
import { langchainTools } from "@jackfield/mcp-langchain";
import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { openMcp } from "../src/index.ts";
import { LOOPS } from "./ai-sdk-model.ts";
import { everything } from "./fixture.ts";

useLeakCheck();

const TOOLS = ["echo", "grow"].map((name) => ({ name, inputSchema: { type: "object" } as const }));

describe("agents with their own views of one runtime", () => {
  it("see only their own tools, call them, and close without closing the runtime", async () => {
    const growing = stdioFaultServer({ tools: TOOLS.slice(0, 1), listChangedAfterCall: TOOLS });
    const mcp = await openMcp({ servers: { everything, growing }, discover: false, cache: false });
    try {
      const adder = mcp.view({ servers: ["everything"], tools: ["get-sum", "echo"] });
      const grower = await mcp.viewFor({ servers: async (name) => name === "growing" });
      expect(Object.keys(aiSdkTools(adder))).toEqual(["mcp__everything__echo", "mcp__everything__get-sum"]);
      expect(langchainTools(grower).map(({ name }) => name)).toEqual(["mcp__growing__echo"]);

      for (const { run } of LOOPS.slice(0, 1)) {
        const steps = [[{ tool: "mcp__everything__get-sum", input: { a: 2, b: 3 } }], "Five."];
        const { requests, toModel } = await run(steps, adder);
        expect(requests[0]?.tools).toHaveLength(2);
        expect(JSON.stringify(toModel)).toContain("The sum of 2 and 3 is 5");
      }

      const changes = { adder: vi.fn(), grower: vi.fn() };
      adder.on("toolsChanged", changes.adder);
      grower.on("toolsChanged", changes.grower);
      await langchainTools(grower)[0]?.invoke({});
      await vi.waitFor(() => expect(changes.grower).toHaveBeenCalled());
      expect(changes.grower.mock.lastCall).toMatchObject([
        { server: "growing", added: ["mcp__growing__grow"] },
      ]);
      expect(langchainTools(grower).map(({ name }) => name)).toEqual([
        "mcp__growing__echo",
        "mcp__growing__grow",
      ]);
      expect(changes.adder).not.toHaveBeenCalled();

      await adder.close();
      expect(aiSdkTools(adder)).toEqual({});
      expect(mcp.servers().map(({ status }) => status)).toEqual(["ready", "ready"]);
      await grower.callTool("mcp__growing__grow");
    } finally {
      await mcp.close();
    }
  });

  it("search only what their view shows, ranked as the program wants", async () => {
    const rank = (_: string, candidates: readonly ToolDescriptor[]) =>
      candidates.toSorted((one, other) => (one.originalName < other.originalName ? 1 : -1));
    const settings = { servers: { everything }, discover: false, cache: false } as const;
    const mcp = await openMcp({ ...settings, search: { rank } });
    try {
      const view = mcp.view({ tools: ["get-sum", "get-env", "echo"] });
      const found = view.searchTools("get").map(({ originalName }) => originalName);
      expect(found).toEqual(["get-sum", "get-env"]);
      expect(view.searchTools("get-tiny-image")).not.toContainEqual(
        expect.objectContaining({ originalName: "get-tiny-image" }),
      );
    } finally {
      await mcp.close();
    }
  });

  it("cannot call a tool that their view hides, whatever name the model writes", async () => {
    const mcp = await openMcp({ servers: { everything }, discover: false, cache: false });
    try {
      const view = mcp.view({ tools: ["echo"] });
      for (const tool of ["mcp__everything__get-sum", "get-sum", "everything:get-sum", "functions.get-sum"])
        await expect(view.callTool(tool, { a: 1, b: 2 })).rejects.toMatchObject({ code: "MCP_TOOL_UNKNOWN" });
      await view.callTool("functions.mcp__everything__echo", { message: "mangled" });
    } finally {
      await mcp.close();
    }
  });
});
