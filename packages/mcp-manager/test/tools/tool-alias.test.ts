import { stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { ToolAliases } from "../../src/tools/tool-alias.ts";
import type { NamingOptions } from "../../src/tools/tool-naming.ts";
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

async function resolve(asked: string, ...given: Parameters<typeof registryOf>): Promise<string | undefined> {
  const found = await registryOf(...given).aliases.repaired(asked);
  return found && `${found.server}/${found.originalName}`;
}

const SERVERS = { "My.Docs": ["query-docs", "Do.Thing"], fs: ["read_file", "list_directory_with_sizes"] };

describe("[L32] a tool name mangled by a model", () => {
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
  ])("%j resolves to %s", async (asked, resolved) => {
    expect(await resolve(asked, SERVERS)).toBe(resolved);
  });

  it.each([
    ["read_file", { a: ["read_file"], b: ["read_file"] }],
    ["mcp__a__b_c", { a: ["b.c", "b-c"] }],
    ["a_b_c", { a_b: ["c"], a: ["b_c"] }],
    ["mcp_search", { a: ["mcp_search"], b: ["search"] }],
  ])("%j resolves to nothing if several tools match", async (asked, servers: Servers) => {
    expect(await resolve(asked, servers)).toBeUndefined();
  });

  it.each(["mcp__fs__read", "mcp__fs__read_files", "mcp__sf__read_file", "read", "", "mcp", "___", "天"])(
    "%j resolves to nothing if it is merely similar to a tool's name",
    async (asked) => {
      expect(await resolve(asked, SERVERS)).toBeUndefined();
    },
  );

  it("resolves without its hash, but not with another suffix", async () => {
    const reserved = ["mcp__fs__read_file"];
    expect(await resolve("mcp__fs__read_file", SERVERS, { reserved })).toBe("fs/read_file");
    expect(await resolve("mcp__fs__read_file_1", SERVERS, { reserved })).toBeUndefined();
  });

  it("resolves if it was cut off at the end and is still long", async () => {
    const long = "summarise_everything_that_was_said_in_the_meeting_room_today";
    const servers = { rooms: [long, "list_everything"] };
    expect(await resolve(`mcp__rooms__${long}`.slice(0, 60), servers)).toBe(`rooms/${long}`);
    expect(await resolve("mcp__rooms__list", servers)).toBeUndefined();
    expect(await resolve(`mcp__rooms__${long}`.slice(0, 40), servers)).toBeUndefined();
  });

  it.each<[string, NamingOptions]>([
    ["mcp_fs_read_file", { strategy: "mcp__server_tool" }],
    ["mcp__fs__read_file", { strategy: "mcp_server_tool" }],
    ["mcp__fs__read-file", { strategy: "tool" }],
    ["fs:read_file", { strategy: ({ server, tool: name }) => `${name}_of_${server}` }],
  ])("%j resolves whatever the naming strategy", async (asked, naming) => {
    expect(await resolve(asked, SERVERS, naming)).toBe("fs/read_file");
  });

  it("never resolves to a blocked tool, nor to one with a similar name instead", async () => {
    const servers = { fs: ["delete_file", "delete-file", "wipe"] };
    expect(await resolve("wipe", servers, {}, ["wipe"])).toBeUndefined();
    expect(await resolve("mcp__fs__delete_file", servers, {}, ["delete_file"])).toBeUndefined();
    expect(await resolve("delete_file", servers, {}, ["delete_file"])).toBeUndefined();
  });
});

describe("the suggestions for an unknown tool name", () => {
  const suggestionsFor = async (asked: string, servers: Servers, hidden: readonly string[] = []) => {
    const near = await registryOf(servers, {}, hidden).aliases.nearest(asked);
    return near.map(({ name }) => name);
  };

  it("are at most three, the most similar first", async () => {
    const servers = { fs: ["read_file", "read_files", "write_file", "read_text_file", "sum"] };
    expect(await suggestionsFor("mcp__fs__raed_file", servers)).toEqual([
      "mcp__fs__read_file",
      "mcp__fs__read_files",
      "mcp__fs__read_text_file",
    ]);
  });

  it("are empty if no tool is similar or there are no tools", async () => {
    expect(await suggestionsFor("xyz", { fs: ["read_file"] })).toEqual([]);
    expect(await suggestionsFor("read_file", {})).toEqual([]);
  });

  it("never include blocked tools", async () => {
    expect(
      await suggestionsFor("mcp__fs__wipe_disc", { fs: ["wipe_disk", "wide_disc"] }, ["wipe_disk"]),
    ).toEqual(["mcp__fs__wide_disc"]);
  });
});

describe("the index of names", () => {
  /** Aliases of servers with many tools that nobody can tell apart by most of their letters, and how often they were asked. */
  function createIndexed(servers: readonly string[], count: number) {
    const asked = { known: [] as string[], found: 0 };
    const descriptor = (server: string, originalName: string) => {
      const definition = tool(originalName);
      const shown = { description: "", definition, origin: "live", requiresApproval: false } as const;
      return { name: `mcp__${server}__${originalName}`, server, originalName, ...shown };
    };
    const aliases = new ToolAliases({
      servers: () => servers,
      known(server) {
        asked.known.push(server);
        const names = Array.from({ length: count }, (_, index) => `read_the_file_${index}`);
        return names.map((originalName) => ({ originalName, name: `mcp__${server}__${originalName}` }));
      },
      find(server, originalName) {
        asked.found += 1;
        return descriptor(server, originalName);
      },
    });
    return { aliases, asked };
  }

  it("is made once for any number of names, and again for a server whose tools have changed", async () => {
    const { aliases, asked } = createIndexed(["a", "b"], 100);
    const names = ["mcp__c__x", "read_the_file", "MCP__A__READ_THE_FILE_1"];
    await Promise.all(names.map((name) => aliases.repaired(name)));
    await aliases.nearest("read_the_fiel_7");
    expect(asked.known).toEqual(["a", "b"]);
    aliases.forget("b");
    expect((await aliases.repaired("MCP__B__READ_THE_FILE_99"))?.server).toBe("b");
    expect(asked.known).toEqual(["a", "b", "b"]);
  });

  it("asks for as many tools as one page holds to make a suggestion among 50,000", async () => {
    const { aliases, asked } = createIndexed(
      Array.from({ length: 10 }, (_, at) => `s${at}`),
      5_000,
    );
    const [near] = await aliases.nearest("mcp__s3__read_the_fiel_4711");
    expect(near?.name).toBe("mcp__s3__read_the_file_4711");
    expect(asked.found).toBeLessThanOrEqual(500);
  });

  it("lets timers run while it is made", async () => {
    const { aliases } = createIndexed(
      Array.from({ length: 20 }, (_, at) => `s${at}`),
      5_000,
    );
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    await aliases.repaired("nothing");
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it("does not look at a name that is longer than any tool's", async () => {
    const { aliases, asked } = createIndexed(["a"], 10);
    expect(await aliases.repaired("read_the_file_1".padEnd(1_000_000, " "))).toBeUndefined();
    expect(asked.known).toEqual([]);
  });
});
