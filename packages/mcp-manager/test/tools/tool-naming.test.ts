import { describe, expect, it } from "vitest";
import { createToolNaming, NAMING_PRESETS } from "../../src/tools/tool-naming.ts";
import { allNames, nameOf } from "./naming-fixture.ts";

describe("tool names", () => {
  it.each([
    ["docs", "search", "mcp__docs__search"],
    ["my-server", "Do.Thing", "mcp__my-server__Do_Thing"],
    ["My.Server", "x", "mcp__My_Server__x"],
    ["a__b", "c", "mcp__a_b__c"],
    ["_edge_", "t", "mcp__edge__t"],
    ["__proto__", "constructor", "mcp__proto__constructor"],
  ])("%s/%s becomes %s", (server, tool, name) => {
    expect(nameOf(server, tool)).toBe(name);
  });

  it("[L27] are valid and unique even if no character of the original is allowed", () => {
    const listings = new Map([
      ["天気", ["検索", "予報"]],
      ["日本", ["検索"]],
    ]);
    const names = [...allNames(listings).values()];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it("[L25] keep foo1 and foo2 apart", () => {
    const names = allNames(new Map([["s", ["foo1", "foo2"]]]));
    expect([...names.values()]).toEqual(["mcp__s__foo1", "mcp__s__foo2"]);
  });

  it("[L29] keep tools a.b and a_b apart, and servers x.y and x_y", () => {
    expect(new Set(allNames(new Map([["s", ["a.b", "a_b"]]])).values()).size).toBe(2);
    const listings = new Map([
      ["x.y", ["t"]],
      ["x_y", ["t"]],
    ]);
    expect(new Set(allNames(listings).values()).size).toBe(2);
  });

  it("[L26] that are too long are cut to 64 characters with a distinct hash", () => {
    const long = "a".repeat(100);
    const names = [...allNames(new Map([["s".repeat(300), [long, `${long}b`]]])).values()];
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^mcp__s+_[0-9a-f]{8}__a+_[0-9a-f]{8}$/);
    for (const name of names) expect(name).toHaveLength(64);
  });

  it("[L30] are never reserved names", () => {
    const reserved = ["mcp__docs__search", "search"];
    expect(nameOf("docs", "search", { reserved })).toMatch(/^mcp__docs__search_[0-9a-f]{8}$/);
    expect(nameOf("docs", "search", { reserved, strategy: "tool" })).toMatch(
      /^mcp__docs__search_[0-9a-f]{8}$/,
    );
  });

  it("do not change when a configured server connects late", () => {
    const naming = createToolNaming(["a", "a_b"], { strategy: "mcp_server_tool" });
    naming.assign("a", { listed: ["b_c"], included: ["b_c"] });
    const before = naming.namesOf("a").get("b_c");
    expect(naming.assign("a_b", { listed: ["c"], included: ["c"] })).toEqual([]);
    expect(naming.namesOf("a").get("b_c")).toBe(before);
    expect(naming.namesOf("a_b").get("c")).toBe("mcp_a_b_c");
  });

  it("are hashed on a clash even if a filter removes the other tool", () => {
    const naming = createToolNaming(["s"], {});
    naming.assign("s", { listed: ["a.b", "a_b"], included: ["a_b"] });
    expect(naming.namesOf("s").get("a_b")).toMatch(/^mcp__s__a_b_[0-9a-f]{8}$/);
  });
});

describe("the naming presets of other runtimes", () => {
  it.each([
    ["context7", "query-docs", "mcp__context7_query_docs"],
    ["puppeteer", "puppeteer_screenshot", "mcp__puppeteer_screenshot"],
    ["my-server", "Do.Thing", "mcp__my_server_do_thing"],
    ["123", "bank", "mcp__123_bank"],
    ["天気", "検索", "mcp__server_tool"],
    ["git", "git_git_log", "mcp__git_git_log"],
    ["srv", "srv", "mcp__srv_srv"],
  ])("oh-my-pi: %s/%s becomes %s", (server, tool, name) => {
    expect(nameOf(server, tool, NAMING_PRESETS["oh-my-pi"])).toBe(name);
  });

  it.each([
    ["docs", "search", "mcp_docs__search"],
    ["天気サーバー", "search", "mcp_server__search"],
    ["docs", "検索", "mcp_docs__tool"],
    ["Docs-", "-Go.", "mcp_Docs__Go"],
  ])("OpenAI Agents SDK: %s/%s becomes %s", (server, tool, name) => {
    expect(nameOf(server, tool, NAMING_PRESETS["openai-agents"])).toBe(name);
  });

  it.each([
    ["sidecar", "my.server", "Do.Thing", "mcp_my_server_Do_Thing"],
    ["hexos", "my.server", "Do.Thing", "Do_Thing"],
    ["claude-code", "my.server", "Do.Thing", "mcp__my_server__Do_Thing"],
  ] as const)("%s: %s/%s becomes %s", (runtime, server, tool, name) => {
    expect(nameOf(server, tool, NAMING_PRESETS[runtime])).toBe(name);
  });

  it("give an ambiguous name to the server with the longer name", () => {
    const listings = new Map([
      ["a", ["b_c"]],
      ["a_b", ["c"]],
    ]);
    const names = allNames(listings, { strategy: "mcp_server_tool" });
    expect(names.get("a_b\0c")).toBe("mcp_a_b_c");
    expect(names.get("a\0b_c")).toMatch(/^mcp_a_[0-9a-f]{8}_b_c$/);
  });
});

describe("names without the server", () => {
  it("[L28] are the tool's own, or include the server if two servers offer the tool", () => {
    const listings = new Map([
      ["a", ["search", "read"]],
      ["b", ["search"]],
    ]);
    expect(Object.fromEntries(allNames(listings, { strategy: "tool" }))).toEqual({
      "a\0search": "mcp__a__search",
      "a\0read": "read",
      "b\0search": "mcp__b__search",
    });
  });

  it("report exactly the other servers whose names changed", () => {
    const naming = createToolNaming(["a", "b", "c"], { strategy: "tool" });
    const assign = (server: string, ...tools: string[]) =>
      naming.assign(server, { listed: tools, included: tools });
    expect(assign("a", "search", "read")).toEqual([]);
    expect(assign("b", "search")).toEqual(["a"]);
    expect(assign("c", "search", "write")).toEqual([]);
    expect(assign("b")).toEqual([]);
    expect(assign("c", "write")).toEqual(["a"]);
    expect(naming.namesOf("a").get("search")).toBe("search");
  });

  it("do not clash with a tool that a filter removes", () => {
    const naming = createToolNaming(["a", "b"], { strategy: "tool" });
    naming.assign("a", { listed: ["search"], included: ["search"] });
    naming.assign("b", { listed: ["search"], included: [] });
    expect(naming.namesOf("a").get("search")).toBe("search");
    expect(naming.namesOf("b").size).toBe(0);
  });

  it("a tool called like another server's exposed name does not take that name", () => {
    const listings = new Map([
      ["a", ["search"]],
      ["b", ["search", "mcp__a__search"]],
    ]);
    const names = allNames(listings, { strategy: "tool" });
    expect(names.get("a\0search")).toBe("mcp__a__search");
    expect(names.get("b\0mcp__a__search")).toBe("mcp__b__mcp__a__search");
  });

  it.each([
    ["2fa", "_2fa"],
    ["-x", "_-x"],
    ["_x", "_x"],
    ["a2", "a2"],
    ["ünï", "_n_"],
    [`2${"x".repeat(62)}`, `_2${"x".repeat(62)}`],
    [`2${"x".repeat(63)}`, expect.stringMatching(/^mcp__docs__2x+_[0-9a-f]{8}$/)],
  ])("begin with a letter or `_`, as Gemini requires: %s", (tool, expected) => {
    expect(nameOf("docs", tool, { strategy: "tool" })).toEqual(expected);
    expect(nameOf("docs", tool, { strategy: ({ tool: own }) => own })).toEqual(expected);
    expect(nameOf("docs", "2fa", {})).toBe("mcp__docs__2fa");
  });

  it("include the server for 2fa and _2fa, which would both become _2fa", () => {
    const names = allNames(new Map([["a", ["2fa", "_2fa"]]]), { strategy: "tool" });
    expect([...names.values()]).toEqual(["mcp__a__2fa", "mcp__a___2fa"]);
  });

  it("can come from a function, whose result is sanitized", () => {
    const strategy = ({ server, tool }: { server: string; tool: string }) => `${server}/${tool}`;
    expect(nameOf("docs", "search", { strategy })).toBe("docs_search");
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("oops");
      },
    ],
    ["returns an empty string", () => ""],
    ["returns undefined", () => undefined as unknown as string],
    ["returns a name that is too long", () => "x".repeat(65)],
    ["returns one name for all tools", () => "same"],
  ])("are the default ones if the function %s", (_what, strategy) => {
    const names = allNames(new Map([["docs", ["search", "read"]]]), { strategy });
    expect([...names.values()]).toEqual(["mcp__docs__search", "mcp__docs__read"]);
  });
});
