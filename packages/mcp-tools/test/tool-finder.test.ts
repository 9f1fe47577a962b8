import type { ServerSnapshot, ToolDescriptor, ToolSource } from "@jackfield/mcp-core";
import { createFakeToolSource } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { callIn, createToolFinder, foundText, namesFound, textIn } from "../src/index.ts";

const tool = (server: string, name: string) => ({
  server,
  name: `mcp__${server}__${name}`,
  definition: { name, description: `Does ${name}.\nAnd more.` },
});
const TOOLS = [tool("git", "commit"), tool("git", "push"), tool("notes", "add"), tool("notes", "Add")];

/** A source whose servers say something of themselves. */
function sourceWith(instructions: Readonly<Record<string, string>>, tools = TOOLS): ToolSource {
  const source = createFakeToolSource(tools);
  const servers = Object.entries(instructions).map(([name, text]) => ({ name, instructions: text }));
  return Object.assign(Object.create(source) as ToolSource, {
    servers: () => servers as unknown as ServerSnapshot[],
    tools: () => source.tools(),
    searchTools: (...search: Parameters<ToolSource["searchTools"]>) => source.searchTools(...search),
  });
}

const pageOf = (source: ToolSource, options = {}) =>
  createToolFinder(source, { search: "always", ...options })
    .searchTool.description.split("\n")
    .slice(1);

describe("the page of servers and names", () => {
  it("has a line for each server and the names of its tools, with what they begin with", () => {
    expect(pageOf(sourceWith({ git: "Works on the repository. Commit often.", notes: "" }))).toEqual([
      "- git (2 tools, mcp__git__…): Works on the repository.",
      "  commit push",
      "- notes (2 tools, mcp__notes__…)",
      "  Add add",
    ]);
  });

  it("tells how many tools there are where the names do not fit", () => {
    expect(pageOf(sourceWith({ git: "Works on the repository." }), { namesWithin: 30 })).toEqual([
      "- git (2 tools): Works on the repository.",
      "- notes (2 tools)",
    ]);
  });

  it.each([
    ["# Git\n\nUse it for **repositories**.\nThen push.", "Use it for repositories."],
    ["```sh\nrm -rf /\n```\nUse\u0007 it\u202e well.", "Use it well."],
    ["Send password=hunter2hunter2 along", "Send password=[redacted] along"],
    ["word ".repeat(100), `${"word ".repeat(22)}word…`],
    ["---", ""],
  ])("cleans and cuts %j", (text, shown) => {
    const [line = ""] = pageOf(sourceWith({ git: text }, TOOLS.slice(0, 1)));
    expect(line.replace(/^- git \(1 tool, mcp__git__…\)(?:: )?/, "")).toBe(shown);
  });

  it("stays within bounds with a thousand servers", () => {
    const many = Array.from({ length: 1_000 }, (_, index) => tool(`server-${index}`, "run"));
    const lines = pageOf(sourceWith({ "server-0": "x".repeat(10_000) }, many), { namesWithin: 500 });
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe("- and 800 more servers");
    expect(lines.join("\n").length).toBeLessThan(6_000);
  });
});

describe("a finder", () => {
  it("finds a tool by its name, and by one that can only mean it", () => {
    const finder = createToolFinder(createFakeToolSource(TOOLS), { search: "always" });
    expect(finder.find("mcp__git__push").originalName).toBe("push");
    expect(finder.find("Git_Push").originalName).toBe("push");
    expect(finder.find("mcp__notes__Add").originalName).toBe("Add");
    for (const name of ["ADD", "pull", "__proto__", ""])
      expect(() => finder.find(name)).toThrow(expect.objectContaining({ code: "MCP_TOOL_UNKNOWN" }));
  });

  it("writes what it found so that the names can be read again", () => {
    const found = createFakeToolSource(TOOLS).tools() as readonly ToolDescriptor[];
    const text = foundText(found, "Next: call it.");
    expect(text).toContain("- mcp__git__push: Does push. And more.");
    expect(namesFound(text)).toEqual(found.map(({ name }) => name));
    expect(namesFound(foundText([], ""))).toEqual([]);
  });

  it("writes a line for a tool without a description", () => {
    expect(namesFound(foundText([{ name: "a", description: "" }], "Next."))).toEqual(["a"]);
  });

  it.each([
    ["text", "text"],
    [{ query: "text" }, "text"],
    [{ query: 1 }, ""],
    [null, ""],
    [undefined, ""],
  ])("reads a text from %j", (input, text) => expect(textIn(input, "query")).toBe(text));

  it.each([
    [
      { name: "a", arguments: { q: 1 } },
      { name: "a", args: { q: 1 } },
    ],
    [
      { name: "a", arguments: '{"q":1}' },
      { name: "a", args: { q: 1 } },
    ],
    [
      { name: "a", arguments: "q" },
      { name: "a", args: "q" },
    ],
    [{ name: "a" }, { name: "a", args: undefined }],
    [null, { name: "", args: undefined }],
  ])("reads a call from %j", (input, call) => expect(callIn(input)).toEqual(call));
});

describe("the index", () => {
  it("is asked for when a model is offered the search, and not where all tools are offered", () => {
    const asked = (search: "always" | "auto" | "off") => {
      const source = createFakeToolSource(TOOLS);
      createToolFinder(source, { search }).offered;
      return source.searches;
    };
    expect(asked("always")).toEqual([{ query: "", options: {} }]);
    expect(asked("auto")).toEqual([]);
    expect(asked("off")).toEqual([]);
  });
});
