import { McpError } from "@jackfield/mcp-core";
import { openMcp } from "jackfield";
import { describe, expect, it } from "vitest";
import { summarizeStart } from "../src/start-summary.ts";

describe("the summary of a start", () => {
  it("names each configuration file that could not be read", async () => {
    const configFiles = ["nofile.json", "neither.json"];
    const mcp = await openMcp({ configFiles, discover: false, cache: false });
    await mcp.close();
    expect(summarizeStart(mcp)).toEqual([
      expect.stringContaining("0 of 0 servers connected"),
      expect.stringMatching(/^not read: MCP_CONFIG_NOT_FOUND: .*nofile\.json/),
      expect.stringMatching(/^not read: MCP_CONFIG_NOT_FOUND: .*neither\.json/),
    ]);
  });

  it("reports a failed discovery in one line without control characters", async () => {
    const mcp = await openMcp({ discover: false, cache: false });
    await mcp.close();
    const discoveryError = new McpError("MCP_CONFIG_INVALID", "The folder \u001b[2J cannot be read.");
    const [, line, ...more] = summarizeStart({ ...mcp, report: { ...mcp.report, discoveryError } });
    expect(line).toMatch(/^not read: MCP_CONFIG_INVALID: The folder .*cannot be read\.$/);
    expect(line).not.toContain("\u001b");
    expect(more).toEqual([]);
  });
});
