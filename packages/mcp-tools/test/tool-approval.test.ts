import type { ToolAnnotations, ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { approvalNeed, type ToolApproval } from "../src/tool-approval.ts";

const tool = (annotations?: ToolAnnotations, requiresApproval = false): ToolDescriptor => ({
  name: "mcp__files__read",
  server: "files",
  originalName: "read",
  description: "",
  definition: { name: "read", inputSchema: { type: "object" }, annotations },
  origin: "live",
  requiresApproval,
});

describe("the need for approval", () => {
  it.each<[ToolApproval | undefined, ToolDescriptor, boolean]>([
    [undefined, tool(), false],
    ["off", tool({ destructiveHint: true }, true), false],
    ["always", tool({ readOnlyHint: true }), true],
    ["annotations", tool({ readOnlyHint: true }), false],
    ["annotations", tool({ readOnlyHint: true }, true), true],
    ["annotations", tool({ readOnlyHint: false }), true],
    ["annotations", tool(), true],
  ])("under policy %s follows from the tool alone", (approval, descriptor, expected) => {
    expect(approvalNeed(approval, descriptor)).toBe(expected);
  });

  it("is decided by a function of the arguments, where anything but false means yes", async () => {
    const need = (approval: ToolApproval) => {
      const decided = approvalNeed(approval, tool());
      return typeof decided === "function"
        ? decided({ path: "a" })
        : Promise.reject(new Error("not a function"));
    };
    expect(await need(({ args, tool: { server } }) => args.path === "a" && server === "files")).toBe(true);
    expect(await need(async () => false)).toBe(false);
    expect(await need((() => undefined) as never)).toBe(true);
    expect(
      await need(() => {
        throw new Error("broken");
      }),
    ).toBe(true);
  });

  it("[T40] under a misspelt policy throws MCP_CONFIG_INVALID", () => {
    expect(() => approvalNeed("allways" as never, tool())).toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID", message: expect.stringContaining('"allways"') }),
    );
  });
});
