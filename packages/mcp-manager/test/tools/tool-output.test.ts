import type { ToolCallResult } from "@jackfield/mcp-core";
import { describe, expect, it, vi } from "vitest";
import { startedManager } from "./started-manager.ts";

const COUNT = {
  name: "count",
  inputSchema: { type: "object" as const },
  outputSchema: { type: "object", properties: { rows: { type: "integer" } }, required: ["rows"] },
};
const FREE = { name: "free", inputSchema: { type: "object" as const } };

async function answeredWith(result: ToolCallResult, options: Parameters<typeof startedManager>[1] = {}) {
  const answer = (method: string) => (method === "tools/call" ? result : {});
  return startedManager(new Map([["files", [COUNT, FREE]]]), { ...options, answer });
}

describe("the structured content of a result", () => {
  it("[threat T62] that matches the output schema is passed on unchanged", async () => {
    const result = { content: [], structuredContent: { rows: 3 } };
    const { manager } = await answeredWith(result);
    await using _ = manager;
    expect(await manager.callTool("mcp__files__count")).toEqual(result);
    expect(await manager.callTool("mcp__files__count")).toEqual(result);
  });

  it("[threat T62] that violates the output schema rejects the call, which is not repeated", async () => {
    const { manager, session } = await answeredWith({ content: [], structuredContent: { rows: "3" } });
    await using _ = manager;
    await expect(manager.callTool("mcp__files__count", {}, { replay: 3 })).rejects.toMatchObject({
      code: "MCP_PROTOCOL_VIOLATED",
      server: "files",
      tool: "count",
      outcome: "unknown",
      message: expect.stringContaining('"/rows"'),
    });
    expect(session("files").requests).toHaveLength(1);
  });

  it.each([
    ["for a model", { audience: "model" }],
    ["for a program that wants it", { output: "warn" }],
  ] as const)("that violates the output schema is given as it is, and logged, %s", async (_whom, options) => {
    const log = vi.fn();
    const result = { content: [{ type: "text" as const, text: "3 rows" }], structuredContent: { rows: "3" } };
    const { manager } = await answeredWith(result, { log });
    await using _ = manager;
    expect(await manager.callTool("mcp__files__count", {}, options)).toEqual(result);
    const about = { server: "files", tool: "count" };
    expect(log).toHaveBeenCalledWith("warn", expect.stringContaining('"/rows"'), about);
  });

  it("that violates the output schema is refused for a model, too, if the caller wants it", async () => {
    const { manager } = await answeredWith({ content: [], structuredContent: { rows: "3" } });
    await using _ = manager;
    const options = { audience: "model", output: "refuse" } as const;
    await expect(manager.callTool("mcp__files__count", {}, options)).rejects.toMatchObject({
      code: "MCP_PROTOCOL_VIOLATED",
    });
  });

  it("[threat T62] is validated before middleware changes the result", async () => {
    const result = { content: [], structuredContent: { rows: 3 } };
    const withoutData = async (_call: unknown, next: () => Promise<ToolCallResult>) => {
      const { structuredContent: _, ...rest } = await next();
      return rest;
    };
    const { manager } = await answeredWith(result, { use: [withoutData] });
    await using _ = manager;
    expect(await manager.callTool("mcp__files__count")).toEqual({ content: [] });
  });

  it("is not validated if the tool has no output schema", async () => {
    const { manager } = await answeredWith({ content: [], structuredContent: ["any"] });
    await using _ = manager;
    expect(await manager.callTool("mcp__files__free")).toEqual({ content: [], structuredContent: ["any"] });
  });
});
