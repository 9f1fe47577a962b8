import { McpError, type ToolsChanged } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { createFakeToolSource, type FakeTool } from "../src/fake-tool-source.ts";
import { toolSourceSuite } from "../src/suites/tool-source-suite.ts";

const echo: FakeTool = { definition: { name: "echo" } };
const zebra: FakeTool = { definition: { name: "zebra" } };

toolSourceSuite("the fake", async () => {
  const source = createFakeToolSource([zebra, echo]);
  return {
    source,
    echo: { server: "fake", tool: "echo" },
    changeTools: () => source.replaceTools([echo, { definition: { name: "another" } }]),
    dispose: async () => {},
  };
});

test("tools() fills in defaults for whatever a tool does not set", () => {
  const source = createFakeToolSource([
    echo,
    { name: "x", server: "s", definition: { name: "t", title: "T" }, requiresApproval: true },
  ]);
  expect(source.tools()).toEqual([
    {
      name: "mcp__fake__echo",
      server: "fake",
      originalName: "echo",
      description: "",
      definition: { name: "echo", inputSchema: { type: "object" } },
      origin: "live",
      requiresApproval: false,
    },
    {
      name: "x",
      server: "s",
      originalName: "t",
      description: "T",
      definition: { name: "t", title: "T", inputSchema: { type: "object" } },
      origin: "live",
      requiresApproval: true,
    },
  ]);
});

test("only calls that reach a tool are recorded", async () => {
  const source = createFakeToolSource([echo]);
  await source.callTool("mcp__fake__echo", { a: 1 }, { audience: "model" });
  await expect(source.callTool("nobody")).rejects.toThrow(McpError);
  await expect(source.callTool("mcp__fake__echo", {}, { signal: AbortSignal.abort() })).rejects.toThrow(
    McpError,
  );
  expect(source.calls).toEqual([{ tool: "mcp__fake__echo", args: { a: 1 }, options: { audience: "model" } }]);
});

test("a tool's own call function can answer, fail, or hang until aborted", async () => {
  const failure = new McpError("MCP_TOOL_REJECTED", "No.");
  const source = createFakeToolSource([
    { definition: { name: "answer" }, call: (args) => ({ content: [], structuredContent: args }) },
    { definition: { name: "fail" }, call: () => Promise.reject(failure) },
    { definition: { name: "break" }, call: () => Promise.reject(new TypeError("a mistake")) },
    { definition: { name: "hang" }, call: () => new Promise(() => {}) },
  ]);
  const call = (tool: string, signal?: AbortSignal) =>
    source.callTool({ server: "fake", tool }, { a: 1 }, { signal });
  expect(await call("answer")).toEqual({ content: [], structuredContent: { a: 1 } });
  await expect(call("fail")).rejects.toBe(failure);
  await expect(call("break")).rejects.toMatchObject({ code: "MCP_INTERNAL", tool: "break" });
  const controller = new AbortController();
  const hanging = call("hang", controller.signal);
  controller.abort();
  await expect(hanging).rejects.toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
});

test("replaceTools emits one toolsChanged for each server that differs", () => {
  const other: FakeTool = { server: "other", definition: { name: "o" } };
  const quiet: FakeTool = { server: "quiet", definition: { name: "q" } };
  const source = createFakeToolSource([echo, zebra, other, quiet]);
  const events: ToolsChanged[] = [];
  source.on("toolsChanged", (event) => events.push(event));
  source.replaceTools([
    { definition: { name: "echo", title: "new" } },
    { definition: { name: "added" } },
    quiet,
  ]);
  expect(events).toEqual([
    {
      server: "fake",
      added: ["mcp__fake__added"],
      removed: ["mcp__fake__zebra"],
      changed: ["mcp__fake__echo"],
    },
    { server: "other", added: [], removed: ["mcp__other__o"], changed: [] },
  ]);
});

test("replaceTools with the same tools changes nothing", () => {
  const source = createFakeToolSource([echo]);
  const tools = source.tools();
  source.on("toolsChanged", () => expect.unreachable());
  source.replaceTools([echo]);
  expect(source.tools()).toBe(tools);
});

test("two tools with the same name throw", () => {
  expect(() => createFakeToolSource([echo, echo])).toThrow("mcp__fake__echo");
});
