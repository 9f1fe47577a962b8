import type { ToolDescriptor } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createLiveTools } from "../../src/agent/live-tools.ts";

/** The descriptor of a tool with one argument. */
function toolWith(argument: string): ToolDescriptor {
  const inputSchema = {
    type: "object" as const,
    properties: { [argument]: { type: "string" as const } },
    required: [argument],
  };
  const [tool] = createFakeToolSource([{ definition: { name: "ask", inputSchema } }]).tools();
  if (tool === undefined) throw new Error("There is no tool.");
  return tool;
}

describe("live tools", () => {
  it("find the same descriptor that they offer, also for a tool that comes back", () => {
    const [before, between] = [toolWith("before"), toolWith("between")];
    let list: readonly ToolDescriptor[] = [];
    const live = createLiveTools({ ...createFakeToolSource([]), tools: () => list });
    for (const tool of [before, between, before]) {
      list = [tool];
      expect(live.offered()).toMatchObject([{ schema: tool.definition.inputSchema }]);
      expect(live.find(tool.name)?.descriptor).toBe(tool);
    }
  });

  it("offer the same object for a tool that comes back", () => {
    const [before, between] = [toolWith("before"), toolWith("between")];
    let list: readonly ToolDescriptor[] = [before];
    const live = createLiveTools({ ...createFakeToolSource([]), tools: () => list });
    const [offered] = live.offered();
    list = [between];
    live.offered();
    list = [before];
    expect(live.offered()[0]).toBe(offered);
  });
});
