import type { ToolCallResult } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
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

describe("an answer with structured content", () => {
  it("[threat T62] that follows the tool's output schema arrives as it came", async () => {
    const result = { content: [], structuredContent: { rows: 3 } };
    const { manager } = await answeredWith(result);
    await using _ = manager;
    expect(await manager.callTool("mcp__files__count")).toEqual(result);
    expect(await manager.callTool("mcp__files__count")).toEqual(result);
  });

  it("[threat T62] that does not follow it is a typed error, and the call is not made again", async () => {
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

  it("[threat T62] is checked before middleware changes it", async () => {
    const result = { content: [], structuredContent: { rows: 3 } };
    const withoutData = async (_call: unknown, next: () => Promise<ToolCallResult>) => {
      const { structuredContent: _, ...rest } = await next();
      return rest;
    };
    const { manager } = await answeredWith(result, { use: [withoutData] });
    await using _ = manager;
    expect(await manager.callTool("mcp__files__count")).toEqual({ content: [] });
  });

  it("is nobody's concern where the tool has no output schema", async () => {
    const { manager } = await answeredWith({ content: [], structuredContent: ["any"] });
    await using _ = manager;
    expect(await manager.callTool("mcp__files__free")).toEqual({ content: [], structuredContent: ["any"] });
  });
});
