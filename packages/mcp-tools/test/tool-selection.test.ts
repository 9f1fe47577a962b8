import type { ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { selectTools, type ToolSelection } from "../src/tool-selection.ts";

function tool(server: string, originalName: string): ToolDescriptor {
  return {
    name: `mcp__${server}__${originalName.replace(".", "_")}`,
    server,
    originalName,
    description: "",
    definition: { name: originalName, inputSchema: { type: "object" } },
    origin: "live",
    requiresApproval: false,
  };
}

const TOOLS = [tool("files", "read"), tool("files", "write"), tool("git", "read.log"), tool("git", "push")];

const names = (selection?: ToolSelection) =>
  selectTools(TOOLS, selection).map(({ server, originalName }) => `${server}/${originalName}`);

describe("a selection of tools", () => {
  it.each<[string, ToolSelection | undefined, string[]]>([
    ["is all tools by default", undefined, ["files/read", "files/write", "git/read.log", "git/push"]],
    ["is empty for an empty include list", { include: [] }, []],
    ["takes exposed names", { include: ["mcp__files__read"] }, ["files/read"]],
    ["takes original names", { include: ["read.log", "push"] }, ["git/read.log", "git/push"]],
    ["takes globs over exposed names", { include: ["mcp__git__*"] }, ["git/read.log", "git/push"]],
    ["takes globs over original names", { include: ["*.log"] }, ["git/read.log"]],
    ["takes stars in the middle", { include: ["mcp__*__re*d"] }, ["files/read"]],
    ["leaves excluded tools out", { exclude: ["*write", "push"] }, ["files/read", "git/read.log"]],
    ["lets exclude beat include", { include: ["*"], exclude: ["read*"] }, ["files/write", "git/push"]],
    ["treats other wildcards as plain characters", { include: ["rea?", "rea.", "[r]ead"] }, []],
    ["matches whole names", { include: ["rea", "ead"] }, []],
    ["does not use a character twice", { include: ["read*read", "push*h"] }, []],
  ])("%s", (_title, selection, expected) => {
    expect(names(selection)).toEqual(expected);
  });

  it("does not stall on a name and a glob made to backtrack", () => {
    const slow = tool("evil", "a".repeat(50_000));
    expect(selectTools([slow], { include: [`${"a*".repeat(50)}b`] })).toEqual([]);
  });
});

it.each([
  [{ include: "read" }, "include"],
  [{ include: null }, "include"],
  [{ exclude: 5 }, "exclude"],
  [{ exclude: ["read", 5] }, "exclude"],
])("a malformed selection is refused: %j", (selection, option) => {
  const refusal = expect.objectContaining({
    code: "MCP_CONFIG_INVALID",
    message: expect.stringContaining(`"${option}"`),
  });
  for (const tools of [TOOLS, []])
    expect(() => selectTools(tools, selection as unknown as ToolSelection)).toThrow(refusal);
});
