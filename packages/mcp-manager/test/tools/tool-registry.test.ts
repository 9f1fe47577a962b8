import type { ToolListPolicy } from "@jackfield/mcp-core";
import { markUnparsed } from "@jackfield/mcp-tools/unparsed-schema";
import { describe, expect, it } from "vitest";
import { tool } from "../manager-fixture.ts";
import { a, b, createRegistry, namesOf } from "./registry-fixture.ts";

describe("the tool registry", () => {
  it("replaces the tools of one server and leaves the others alone", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("one"), tool("two")], "live");
    registry.replace("b", [tool("one")], "live");
    registry.replace("a", [tool("three")], "live");
    expect(namesOf(registry)).toEqual(["mcp__a__three", "mcp__b__one"]);
  });

  it("reports added, removed and changed tools", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("kept"), tool("gone"), tool("altered")], "live");
    const change = registry.replace(
      "a",
      [tool("kept"), tool("new"), tool("altered", { description: "other" })],
      "live",
    );
    expect(change).toEqual([
      { server: "a", added: ["mcp__a__new"], removed: ["mcp__a__gone"], changed: ["mcp__a__altered"] },
    ]);
  });

  it("reports no change and returns the same array when the same tools are listed again", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("one")], "live");
    const before = registry.tools();
    expect(registry.replace("a", [tool("one")], "live")).toEqual([]);
    expect(registry.tools()).toBe(before);
  });

  it("reports no change when cached tools become live", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("one")], "cache");
    expect(registry.replace("a", [tool("one")], "live")).toEqual([]);
    expect(registry.tools()).toMatchObject([{ origin: "live" }]);
  });

  it("[L37] describes a tool by its title if it has no description", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("one", { description: undefined, title: "The one" })], "live");
    expect(registry.tools()).toMatchObject([{ description: "The one" }]);
  });

  it("returns tools and arrays that are frozen", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("one")], "live");
    expect(() => Object.assign(registry.tools()[0] ?? {}, { name: "other" })).toThrow(TypeError);
    expect(() => (registry.tools() as unknown[]).pop()).toThrow(TypeError);
  });

  it("[L31] finds a tool by its server and original name", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("Do.Thing")], "live");
    expect(registry.find("a", "Do.Thing")).toMatchObject({ name: "mcp__a__Do_Thing" });
    expect(registry.find("b", "Do.Thing")).toBeUndefined();
  });

  it("does not rename a tool when a filter removes its namesake", () => {
    const { registry } = createRegistry();
    registry.replace("a", [tool("x.y"), tool("x_y")], "live");
    const unfiltered = registry.find("a", "x_y")?.name;
    registry.configure([{ ...a, tools: { exclude: ["x.y"] } }, b]);
    expect(registry.find("a", "x.y")).toBeUndefined();
    expect(registry.find("a", "x_y")?.name).toBe(unfiltered);
  });
});

describe("a listed tool", () => {
  it("is frozen without parsing a schema that the catalog reads late", () => {
    const { registry } = createRegistry();
    let looks = 0;
    const parse = () => {
      looks += 1;
      return { type: "object" };
    };
    const late = Object.defineProperty(tool("late", { annotations: { title: "x" } }), "inputSchema", {
      enumerable: true,
      get: parse,
    });
    markUnparsed(late, { textOf: () => '{"type":"object"}' });
    registry.replace("a", [late], "cache");
    const [offered] = registry.tools();
    expect(looks).toBe(0);
    expect(Object.isFrozen(offered?.definition)).toBe(true);
    expect(Object.isFrozen(offered?.definition.annotations)).toBe(true);
    expect(offered?.definition.inputSchema).toEqual({ type: "object" });
  });

  it("[L13] cannot be changed through the definition that a caller gets", () => {
    const { registry } = createRegistry();
    const definition = tool("one", {
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
    });
    registry.replace("a", [definition], "live");
    const given = registry.tools()[0]?.definition.inputSchema.properties ?? {};
    expect(() => Object.assign(given, { path: "mine" })).toThrow(TypeError);
    expect(definition.inputSchema.properties).toEqual({ path: { type: "string" } });
  });

  it("keeps its serialized form if a new list only reorders keys", () => {
    const { registry } = createRegistry();
    registry.replace(
      "a",
      [{ name: "one", description: "d", inputSchema: { type: "object", required: [] } }],
      "cache",
    );
    const before = JSON.stringify(registry.tools()[0]?.definition);
    registry.replace(
      "a",
      [{ inputSchema: { required: [], type: "object" }, description: "d", name: "one" }],
      "live",
    );
    expect(JSON.stringify(registry.tools()[0]?.definition)).toBe(before);
  });

  it("[T59] with the name of an earlier one is blocked, and the first is offered", () => {
    const { registry, blocked } = createRegistry();
    registry.replace(
      "a",
      [tool("one", { description: "first" }), tool("one", { description: "second" })],
      "live",
    );
    expect(registry.tools()).toMatchObject([{ description: "first" }]);
    expect(blocked).toEqual([["one", "an earlier tool of the server has the same name"]]);
  });

  it("is not offered if its server is unknown or disabled", () => {
    const { registry } = createRegistry({ servers: [a, { ...b, enabled: false }] });
    expect(registry.replace("b", [tool("one")], "live")).toEqual([]);
    expect(registry.replace("c", [tool("one")], "live")).toEqual([]);
    expect(registry.tools()).toEqual([]);
  });

  it("stays sorted by name while servers are added and removed", () => {
    const { registry } = createRegistry();
    registry.replace("b", [tool("m"), tool("c")], "live");
    expect(namesOf(registry)).toEqual(["mcp__b__c", "mcp__b__m"]);
    registry.replace("a", [tool("z"), tool("Z"), tool("k")], "live");
    registry.replace("b", [tool("n"), tool("m"), tool("a")], "live");
    registry.remove("a");
    registry.replace("a", [tool("z"), tool("b")], "live");
    const sorted = ["mcp__a__b", "mcp__a__z", "mcp__b__a", "mcp__b__m", "mcp__b__n"];
    expect(namesOf(registry)).toEqual(sorted);
    expect(sorted.map((name) => registry.get(name)?.name)).toEqual(sorted);
  });
});

describe("a server's filter", () => {
  it("[L24] warns once if it includes a missing tool, and names the tools there are", () => {
    const filtered = { ...a, tools: { include: ["raed", "write*"], exclude: ["nothing"] } };
    const { registry, warnings } = createRegistry({ servers: [filtered] });
    registry.replace("a", [tool("old")], "cache");
    registry.replace("a", [tool("read"), tool("write")], "live");
    registry.replace("a", [tool("read"), tool("write")], "live");
    expect(warnings).toEqual([
      [
        "a",
        'The server\'s filter includes "raed", which matches none of its tools; it offers "read", "write".',
      ],
    ]);
  });

  it("names at most 20 tools in its warning", () => {
    const { registry, warnings } = createRegistry({ servers: [{ ...a, tools: { include: ["x"] } }] });
    const listed = Array.from({ length: 25 }, (_, index) => tool(`t${index}`));
    registry.replace("a", listed, "live");
    expect(warnings[0]?.[1]).toMatch(/"t19" and 5 more\.$/);
  });
});

describe("a tool policy", () => {
  it("blocks the tool if it returns something else", () => {
    const promised = (() => Promise.resolve({})) as unknown as ToolListPolicy;
    const { registry, blocked } = createRegistry({ policies: [promised] });
    registry.replace("a", [tool("read")], "live");
    expect(registry.tools()).toEqual([]);
    expect(blocked).toEqual([["read", "a tool policy returned something that is not a tool"]]);
  });

  it("[L14] cannot change the tool it gets", () => {
    const meddle: ToolListPolicy = (offered) => {
      offered.definition.description = "mine";
      return offered;
    };
    const { registry, blocked } = createRegistry({ policies: [meddle] });
    const definition = tool("read");
    registry.replace("a", [definition], "live");
    expect(definition.description).toBe("does read");
    expect(blocked).toHaveLength(1);
  });

  it("can block a tool with a reason", () => {
    const { registry, blocked } = createRegistry({
      policies: [(offered) => (offered.originalName === "delete" ? { blocked: "too dangerous" } : offered)],
    });
    registry.replace("a", [tool("read"), tool("delete")], "live");
    expect(registry.tools().map(({ originalName }) => originalName)).toEqual(["read"]);
    expect(blocked).toEqual([["delete", "too dangerous"]]);
  });

  it("[L15] blocks the tool if it throws", () => {
    const { registry, blocked } = createRegistry({
      policies: [
        () => {
          throw new Error("oops");
        },
      ],
    });
    registry.replace("a", [tool("read")], "live");
    expect(registry.tools()).toEqual([]);
    expect(blocked).toEqual([["read", "a tool policy threw: oops"]]);
  });

  it("can change a tool's description, but not its name or server", () => {
    const { registry } = createRegistry({
      policies: [
        (offered) => ({
          ...offered,
          name: "stolen",
          server: "b",
          originalName: "other",
          description: "said",
          requiresApproval: true,
        }),
      ],
    });
    registry.replace("a", [tool("read")], "live");
    expect(registry.tools()).toMatchObject([
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
