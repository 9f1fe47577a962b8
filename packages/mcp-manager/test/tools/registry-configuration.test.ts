import { stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import type { NamingOptions } from "../../src/tools/tool-naming.ts";
import { tool } from "../manager-fixture.ts";
import { a, b, createRegistry, namesOf } from "./registry-fixture.ts";

describe("a new configuration", () => {
  it("drops only the tools of removed or disabled servers", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("one")], "live");
    registry.replace("b", [tool("one")], "live");
    const kept = registry.find("a", "one");
    expect(registry.configure([a])).toEqual([
      { server: "b", added: [], removed: ["mcp__b__one"], changed: [] },
    ]);
    expect(registry.tools()).toEqual([kept]);
    expect(registry.tools()[0]).toBe(kept);
    expect(registry.configure([{ ...a, enabled: false }])).toHaveLength(1);
    expect(registry.tools()).toEqual([]);
  });

  it("renames tools if server names begin to clash, and back when they no longer do", () => {
    const { registry } = createRegistry({ servers: [stdioDefinition("x.y")] });
    registry.replace("x.y", [tool("one")], "live");
    const [change] = registry.configure([stdioDefinition("x.y"), stdioDefinition("x_y")]);
    expect(change?.removed).toEqual(["mcp__x_y__one"]);
    expect(change?.added).toEqual([expect.stringMatching(/^mcp__x_y_[0-9a-f]{8}__one$/)]);
    expect(registry.get("mcp__x_y__one")).toBeUndefined();
    registry.configure([stdioDefinition("x.y")]);
    expect(namesOf(registry)).toEqual(["mcp__x_y__one"]);
  });

  it("applies a changed filter to the tools already listed", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("one"), tool("two")], "live");
    const change = { server: "a", added: [], removed: ["mcp__a__two"], changed: [] };
    expect(registry.configure([{ ...a, tools: { exclude: ["two"] } }, b])).toEqual([change]);
    expect(registry.configure([a, b])).toEqual([{ ...change, added: ["mcp__a__two"], removed: [] }]);
  });

  it("restores tools that a filter had hidden", () => {
    const { registry } = createRegistry({ servers: [{ ...a, tools: { include: [] } }] });
    registry.replace("a", [tool("one")], "live");
    expect(registry.tools()).toEqual([]);
    expect(registry.configure([a])).toEqual([
      { server: "a", added: ["mcp__a__one"], removed: [], changed: [] },
    ]);
  });

  it("reports no change and keeps the array if it does not affect tools", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("one")], "live");
    const before = registry.tools();
    expect(registry.configure([{ ...a, limits: { callTimeoutMs: 1 } }, b, stdioDefinition("c")])).toEqual([]);
    expect(registry.tools()).toBe(before);
  });
});

describe("names without the server", () => {
  const naming: NamingOptions = { strategy: "tool" };

  it("[L28] get the server added while a second server offers the same tool", () => {
    const { registry } = createRegistry({ naming });
    registry.replace("a", [tool("search"), tool("read")], "live");
    expect(namesOf(registry)).toEqual(["read", "search"]);
    expect(registry.replace("b", [tool("search")], "live")).toEqual([
      { server: "b", added: ["mcp__b__search"], removed: [], changed: [] },
      { server: "a", added: ["mcp__a__search"], removed: ["search"], changed: [] },
    ]);
    expect(namesOf(registry)).toEqual(["mcp__a__search", "mcp__b__search", "read"]);
    registry.remove("b");
    expect(namesOf(registry)).toEqual(["read", "search"]);
    expect(registry.get("search")?.server).toBe("a");
  });

  it("are restored when a filter removes the other tool", () => {
    const { registry } = createRegistry({ naming });
    registry.replace("a", [tool("search")], "live");
    registry.replace("b", [tool("search")], "live");
    registry.configure([a, { ...b, tools: { exclude: ["search"] } }]);
    expect(registry.tools()).toMatchObject([{ name: "search", server: "a" }]);
  });
});
