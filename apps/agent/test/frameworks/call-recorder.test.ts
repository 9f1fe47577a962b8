import { createFakeToolSource } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { recordCalls } from "../../src/frameworks/call-recorder.ts";

describe("the call recorder", () => {
  it("records each call's names and outcome until takeCalls()", async () => {
    const image = { type: "image" as const, data: "", mimeType: "image/png" };
    const source = createFakeToolSource([
      { definition: { name: "see" }, call: () => ({ content: [image] }) },
      { definition: { name: "fail" }, call: () => ({ content: [], isError: true }) },
    ]);
    const recorder = recordCalls(source);
    expect(recorder.tools()).toBe(source.tools());
    await recorder.callTool("mcp__fake__see");
    await recorder.callTool({ server: "fake", tool: "fail" });
    await expect(recorder.callTool("nobody")).rejects.toMatchObject({ code: "MCP_TOOL_UNKNOWN" });
    expect(recorder.takeCalls()).toEqual([
      { name: "mcp__fake__see", server: "fake", tool: "see", ok: true, mediaTypes: ["image/png"] },
      { name: "mcp__fake__fail", server: "fake", tool: "fail", ok: false, mediaTypes: [] },
      { name: "nobody", server: "", tool: "nobody", ok: false, mediaTypes: [] },
    ]);
    expect(recorder.takeCalls()).toEqual([]);
  });

  it("passes events and options on", async () => {
    const source = createFakeToolSource([{ definition: { name: "echo" } }]);
    const recorder = recordCalls(source);
    const heard: string[] = [];
    const stop = recorder.on("toolsChanged", ({ removed }) => heard.push(...removed));
    await recorder.callTool("mcp__fake__echo", { a: 1 }, { audience: "model" });
    expect(source.calls).toEqual([
      { tool: "mcp__fake__echo", args: { a: 1 }, options: { audience: "model" } },
    ]);
    source.replaceTools([]);
    stop();
    expect(heard).toEqual(["mcp__fake__echo"]);
  });
});
