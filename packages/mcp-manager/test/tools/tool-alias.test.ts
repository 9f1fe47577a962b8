import type { ToolDescriptor } from "@jackfield/mcp-core";
import { stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import type { NamingOptions } from "../../src/tools/naming-options.ts";
import { nearestNames, repairedTool } from "../../src/tools/tool-alias.ts";
import { tool } from "../manager-fixture.ts";
import { createRegistry } from "./registry-fixture.ts";

type Servers = { readonly [server: string]: readonly string[] };

function registryOf(servers: Servers, naming: NamingOptions = {}, hidden: readonly string[] = []) {
  const { registry } = createRegistry({
    servers: Object.keys(servers).map((name) => stdioDefinition(name)),
    naming,
    policies: [(offered) => (hidden.includes(offered.originalName) ? { blocked: "hidden" } : offered)],
  });
  for (const [server, tools] of Object.entries(servers)) {
    registry.replace(
      server,
      tools.map((name) => tool(name)),
      "live",
    );
  }
  return registry;
}

function meantBy(asked: string, ...given: Parameters<typeof registryOf>): string | undefined {
  const found = repairedTool(asked, registryOf(...given).known());
  return found && `${found.server}/${found.originalName}`;
}

const SERVERS = { "My.Docs": ["query-docs", "Do.Thing"], fs: ["read_file", "list_directory_with_sizes"] };

describe("[L32] a name that a model mangled", () => {
  it.each([
    ["MCP__MY_DOCS__QUERY-DOCS", "My.Docs/query-docs"],
    ["mcp_my_docs_query_docs", "My.Docs/query-docs"],
    ["mcp__My.Docs__query-docs", "My.Docs/query-docs"],
    ["mcp-My-Docs-query-docs", "My.Docs/query-docs"],
    ["My_Docs__query-docs", "My.Docs/query-docs"],
    ["My.Docs:query-docs", "My.Docs/query-docs"],
    ["My.Docs/query-docs", "My.Docs/query-docs"],
    ["fs.read_file", "fs/read_file"],
    ["read_file", "fs/read_file"],
    ["do thing", "My.Docs/Do.Thing"],
    ["functions.mcp__fs__read_file", "fs/read_file"],
    ["functions.read_file:0", "fs/read_file"],
    ["default_api.mcp__fs__read_file", "fs/read_file"],
    ["default_api:read_file", "fs/read_file"],
    [" mcp__fs__read_file\n", "fs/read_file"],
  ])("%j means %s", (asked, meant) => {
    expect(meantBy(asked, SERVERS)).toBe(meant);
  });

  it.each([
    ["read_file", { a: ["read_file"], b: ["read_file"] }],
    ["mcp__a__b_c", { a: ["b.c", "b-c"] }],
    ["a_b_c", { a_b: ["c"], a: ["b_c"] }],
    ["mcp_search", { a: ["mcp_search"], b: ["search"] }],
  ])("%j is not repaired where several tools can be meant", (asked, servers: Servers) => {
    expect(meantBy(asked, servers)).toBeUndefined();
  });

  it.each(["mcp__fs__read", "mcp__fs__read_files", "mcp__sf__read_file", "read", "", "mcp", "___", "天"])(
    "%j is not repaired where it is like a tool's and no more",
    (asked) => {
      expect(meantBy(asked, SERVERS)).toBeUndefined();
    },
  );

  it("may have lost its hash", () => {
    const reserved = ["mcp__fs__read_file"];
    expect(meantBy("mcp__fs__read_file", SERVERS, { reserved })).toBe("fs/read_file");
    expect(meantBy("mcp__fs__read_file_1", SERVERS, { reserved })).toBeUndefined();
  });

  it("may have been cut off if it is long, and only then", () => {
    const long = "summarise_everything_that_was_said_in_the_meeting_room_today";
    const servers = { rooms: [long, "list_everything"] };
    expect(meantBy(`mcp__rooms__${long}`.slice(0, 60), servers)).toBe(`rooms/${long}`);
    expect(meantBy("mcp__rooms__list", servers)).toBeUndefined();
    expect(meantBy(`mcp__rooms__${long}`.slice(0, 40), servers)).toBeUndefined();
  });

  it.each<[string, NamingOptions]>([
    ["mcp_fs_read_file", { strategy: "mcp__server_tool" }],
    ["mcp__fs__read_file", { strategy: "mcp_server_tool" }],
    ["mcp__fs__read-file", { strategy: "tool" }],
    ["fs:read_file", { strategy: ({ server, tool: name }) => `${name}_of_${server}` }],
  ])("%j is repaired whatever the naming", (asked, naming) => {
    expect(meantBy(asked, SERVERS, naming)).toBe("fs/read_file");
  });

  it("never means a tool that is kept back, nor its neighbour", () => {
    const servers = { fs: ["delete_file", "delete-file", "wipe"] };
    expect(meantBy("wipe", servers, {}, ["wipe"])).toBeUndefined();
    expect(meantBy("mcp__fs__delete_file", servers, {}, ["delete_file"])).toBeUndefined();
    expect(meantBy("delete_file", servers, {}, ["delete_file"])).toBeUndefined();
  });
});

describe("the names near a name that means nothing", () => {
  const near = (asked: string, servers: Servers, hidden: readonly string[] = []) =>
    nearestNames(asked, registryOf(servers, {}, hidden).tools(), ({ name }: ToolDescriptor) => name);

  it("are at most three, the most alike first", () => {
    const servers = { fs: ["read_file", "read_files", "write_file", "read_text_file", "sum"] };
    expect(near("mcp__fs__raed_file", servers)).toEqual([
      "mcp__fs__read_file",
      "mcp__fs__read_files",
      "mcp__fs__read_text_file",
    ]);
  });

  it("are none where nothing is alike, or there is nothing", () => {
    expect(near("xyz", { fs: ["read_file"] })).toEqual([]);
    expect(near("read_file", {})).toEqual([]);
  });

  it("are never those of tools that are kept back", () => {
    expect(near("mcp__fs__wipe_disc", { fs: ["wipe_disk", "wide_disc"] }, ["wipe_disk"])).toEqual([
      "mcp__fs__wide_disc",
    ]);
  });
});
