import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const SERVER = { type: "local", command: ["x"] };

/** The filters of servers called `gh` and `my-mcp`. */
async function filters(tools: unknown) {
  const content = { mcp: { gh: SERVER, "my-mcp": SERVER }, tools };
  const { servers, told, diagnostics } = await parse(content, { host: "opencode" });
  return { filters: servers.map(({ written }) => written.tools), told, diagnostics };
}

describe("the root tools map of opencode", () => {
  const all = { exclude: ["*"] };
  test.each<[object, unknown, unknown]>([
    [{ gh_rm: false }, { exclude: ["rm"] }, undefined],
    [{ "my-mcp*": false }, undefined, all],
    [{ "my-mcp_*": false, "gh*": false }, all, all],
    [{ "*": false }, all, all],
    [{ "*_rm": false }, { exclude: ["*_rm", "rm"] }, { exclude: ["*_rm", "rm"] }],
    [{ "*rm*": false }, { exclude: ["*rm*"] }, { exclude: ["*rm*"] }],
    [{ "g*_d*": false }, { exclude: ["*_d*", "d*"] }, undefined],
    [{ gh: false, gh_: false, ghx_a: false, "GH_*": false }, undefined, undefined],
    [{ "gh_*": true }, undefined, undefined],
    [{ "*": false, "gh_*": true }, undefined, all],
    [{ "gh_*": true, "*": false }, undefined, all],
    [{ "gh_*": false, gh_a: true, "gh_b*": true }, { include: ["a", "b*"] }, undefined],
    [{ "gh_*": false, "gh_b*": true, gh_bad: false }, { include: ["b*"], exclude: ["bad"] }, undefined],
    [{ gh_a: true, "gh_*": false }, { include: ["a"] }, undefined],
    [{ "gh_d*": false, gh_draft: true }, { exclude: ["d*"] }, undefined],
  ])("is a set of patterns, of which the longest decides: %j", async (tools, gh, mcp) => {
    expect(await filters(tools)).toMatchObject({ filters: [gh, mcp], told: [] });
  });

  test.each(["my.mcp", "my mcp"])("addresses a server by its sanitized name: %s", async (name) => {
    const content = { mcp: { [name]: SERVER }, tools: { "my_mcp_*": false, my_mcp_a: true } };
    const { servers } = await parse(content, { host: "opencode" });
    expect(servers[0]?.written.tools).toEqual({ include: ["a"] });
  });

  test("reports unreadable patterns, and reads a ? that hides tools as *", async () => {
    const found = await filters({ "gh_?x": false, "gh_*y": "no", "my-mcp_a?": true });
    expect(found.filters).toEqual([{ exclude: ["*x"] }, undefined]);
    expect(found.diagnostics).toMatchObject([
      { code: "invalid-field", pointer: "/tools/gh_?x" },
      { code: "invalid-field", pointer: "/tools/gh_*y" },
      { code: "invalid-field", pointer: "/tools/my-mcp_a?" },
    ]);
    const list = await filters(["gh_*"]);
    expect(list.filters).toEqual([undefined, undefined]);
    expect(list.diagnostics).toMatchObject([{ code: "invalid-field", pointer: "/tools" }]);
  });

  test("is merged across layers, and the strongest decides each pattern", async () => {
    const { home, discover } = await homeWith({
      ".config/opencode/opencode.json": { mcp: { gh: SERVER }, tools: { gh_a: false, gh_b: false } },
      "named.json": { tools: { gh_a: true, gh_c: false } },
      "work/opencode.json": { mcp: { own: SERVER }, tools: { gh_b: true, own_x: false } },
    });
    const env = { OPENCODE_CONFIG: join(home, "named.json") };
    const { servers } = await discover({ hosts: ["opencode"], env });
    // A project's tools map applies to its own servers only.
    expect(servers.map(({ name, tools }) => [name, tools])).toEqual([
      ["own", { exclude: ["x"] }],
      ["gh", { exclude: ["b", "c"] }],
    ]);
  });
});
