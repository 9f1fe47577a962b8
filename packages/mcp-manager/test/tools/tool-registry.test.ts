import type { ToolListPolicy } from "@jackfield/mcp-core";
import { stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createToolNaming } from "../../src/tools/tool-naming.ts";
import { createToolRegistry } from "../../src/tools/tool-registry.ts";
import { tool } from "../manager-fixture.ts";

function registry(policies: readonly ToolListPolicy[] = []) {
  const blocked: [tool: string, reason: string][] = [];
  const created = createToolRegistry({
    naming: createToolNaming({ servers: ["a", "b"] }),
    policies,
    approval: false,
    blocked: ({ originalName }, reason) => blocked.push([originalName, reason]),
  });
  return { ...created, blocked };
}

const a = stdioDefinition("a");
const b = stdioDefinition("b");

describe("the registry of tools", () => {
  it("replaces one server's slice and leaves the others alone", () => {
    const { replace, tools } = registry();
    replace(a, [tool("one"), tool("two")], "live");
    replace(b, [tool("one")], "live");
    replace(a, [tool("three")], "live");
    expect(tools().map(({ name }) => name)).toEqual(["mcp__a__three", "mcp__b__one"]);
  });

  it("says what came, what went, and what is another tool now", () => {
    const { replace } = registry();
    replace(a, [tool("kept"), tool("gone"), tool("altered")], "live");
    const change = replace(a, [tool("kept"), tool("new"), tool("altered", { description: "other" })], "live");
    expect(change).toEqual({
      server: "a",
      added: ["mcp__a__new"],
      removed: ["mcp__a__gone"],
      changed: ["mcp__a__altered"],
    });
  });

  it("says nothing, and keeps the very array, when the same tools come again", () => {
    const { replace, tools } = registry();
    replace(a, [tool("one")], "live");
    const before = tools();
    expect(replace(a, [tool("one")], "live")).toBeUndefined();
    expect(tools()).toBe(before);
  });

  it("does not call it a change that remembered tools turn out to be live", () => {
    const { replace, tools } = registry();
    replace(a, [tool("one")], "cache");
    expect(replace(a, [tool("one")], "live")).toBeUndefined();
    expect(tools()).toMatchObject([{ origin: "live" }]);
  });

  it("[L37] describes a tool by its title where it has no description", () => {
    const { replace, tools } = registry();
    replace(a, [tool("one", { description: undefined, title: "The one" })], "live");
    expect(tools()).toMatchObject([{ description: "The one" }]);
  });

  it("cannot be changed through what it hands out", () => {
    const { replace, tools } = registry();
    replace(a, [tool("one")], "live");
    expect(() => Object.assign(tools()[0] ?? {}, { name: "other" })).toThrow(TypeError);
    expect(() => (tools() as unknown[]).pop()).toThrow(TypeError);
  });

  it("[L31] finds a tool by its server and the name the server gave it", () => {
    const { replace, find } = registry();
    replace(a, [tool("Do.Thing")], "live");
    expect(find("a", "Do.Thing")).toMatchObject({ name: "mcp__a__Do_Thing" });
    expect(find("b", "Do.Thing")).toBeUndefined();
  });

  it("names tools by the whole list, so that a filter does not rename what it lets through", () => {
    const { replace, find } = registry();
    replace(a, [tool("x.y"), tool("x_y")], "live");
    const unfiltered = find("a", "x_y")?.name;
    replace({ ...a, tools: { exclude: ["x.y"] } }, [tool("x.y"), tool("x_y")], "live");
    expect(find("a", "x_y")?.name).toBe(unfiltered);
  });
});

describe("tool policies", () => {
  it("keep tools back with a reason", () => {
    const { replace, tools, blocked } = registry([
      (offered) => (offered.originalName === "delete" ? { blocked: "too dangerous" } : offered),
    ]);
    replace(a, [tool("read"), tool("delete")], "live");
    expect(tools().map(({ originalName }) => originalName)).toEqual(["read"]);
    expect(blocked).toEqual([["delete", "too dangerous"]]);
  });

  it("[L15] that throw keep the tool back", () => {
    const { replace, tools, blocked } = registry([
      () => {
        throw new Error("oops");
      },
    ]);
    replace(a, [tool("read")], "live");
    expect(tools()).toEqual([]);
    expect(blocked).toEqual([["read", "a tool policy threw: oops"]]);
  });

  it("may change what is said of a tool, never whose it is", () => {
    const { replace, tools } = registry([
      (offered) => ({
        ...offered,
        name: "stolen",
        server: "b",
        originalName: "other",
        description: "said",
        requiresApproval: true,
      }),
    ]);
    replace(a, [tool("read")], "live");
    expect(tools()).toMatchObject([
      {
        name: "mcp__a__read",
        server: "a",
        originalName: "read",
        description: "said",
        requiresApproval: true,
      },
    ]);
  });
});
