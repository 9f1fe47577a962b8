import type { ToolDescriptor } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { createToolSearch } from "../../src/search/index.ts";

interface Written {
  readonly server: string;
  readonly tool: string;
  readonly description?: string;
  readonly properties?: Record<string, unknown>;
}

function tool({ server, tool: originalName, description = "", properties = {} }: Written): ToolDescriptor {
  return {
    name: `mcp__${server}__${originalName}`,
    server,
    originalName,
    description,
    definition: { name: originalName, description, inputSchema: { type: "object", properties } as never },
    origin: "cache",
    requiresApproval: false,
  };
}

const TOOLS = [
  tool({ server: "forge", tool: "create_issue", description: "Opens a new issue in a repository." }),
  tool({ server: "forge", tool: "list_issues", description: "Lists the issues of a repository." }),
  tool({ server: "forge", tool: "merge_pull_request", description: "Merges a pull request." }),
  tool({ server: "forge", tool: "delete_branch", description: "Deletes a branch of a repository." }),
  tool({ server: "files", tool: "readTextFile", description: "Reads a file as text." }),
  tool({ server: "files", tool: "create-directory", description: "Makes a directory, with its parents." }),
  tool({
    server: "files",
    tool: "search",
    description: "Looks for files.",
    properties: { excludePatterns: { type: "array", description: "Glob patterns that are left out." } },
  }),
  tool({ server: "mongodb", tool: "list-collections", description: "Lists the collections of a database." }),
  tool({ server: "mongodb", tool: "drop-database", description: "Removes a database." }),
];

function searchIn(tools: readonly ToolDescriptor[] = TOOLS) {
  const search = createToolSearch();
  search.follow(tools);
  return search;
}

const namesOf = (tools: readonly ToolDescriptor[]) => tools.map(({ originalName }) => originalName);

describe("a search over tools", () => {
  test.each([
    ["mcp__forge__create_issue", "create_issue"],
    ["create_issue", "create_issue"],
    ["forge.create_issue", "create_issue"],
    ["forge/create_issue", "create_issue"],
    ["createIssue", "create_issue"],
    ["read_text_file", "readTextFile"],
    ["list collections", "list-collections"],
    ["CREATE-DIRECTORY", "create-directory"],
    ["merge_pull_reqest", "merge_pull_request"],
    ["raedTextFile", "readTextFile"],
  ])("finds the name %s, first", (query, wanted) => {
    expect(searchIn().find(query)[0]?.originalName).toBe(wanted);
  });

  test("finds an exact name first, whatever else says the same words more often", () => {
    const stuffed = tool({
      server: "spam",
      tool: "delete_branch_delete_branch",
      description: "delete branch ".repeat(200),
    });
    expect(searchIn([stuffed, ...TOOLS]).find("delete_branch")[0]).toBe(TOOLS[3]);
  });

  test.each([
    ["open a ticket", "create_issue"],
    ["merge PR", "merge_pull_request"],
    ["make a new folder", "create-directory"],
    ["remove a mongo database", "drop-database"],
    ["files, but without some glob patterns", "search"],
    ["exclude patterns", "search"],
  ])("finds what %s means", (query, wanted) => {
    expect(namesOf(searchIn().find(query)).slice(0, 2)).toContain(wanted);
  });

  test.each(["", "?!", "play quiet jazz", "the weather in Oslo on Friday", "zyxwvut"])(
    "finds nothing for %j",
    (query) => {
      expect(searchIn().find(query)).toEqual([]);
    },
  );

  test.each([
    "restore the backup of MongoDB",
    "Restart the mongo db server!",
    "renew the certificate of Forge",
  ])("finds nothing for %j, though it names a server", (query) => {
    expect(searchIn().find(query)).toEqual([]);
  });

  test("finds what was asked among a thousand tools that are alike, in which no word is rare", () => {
    const verbs = ["get", "list", "create", "update", "delete"];
    const alike = Array.from({ length: 1_000 }, (_, index) => {
      const verb = verbs[index % verbs.length] ?? "";
      return tool({
        server: "shop",
        tool: `${verb}_item_${index}`,
        description: `Can ${verb} one item by its identifier.`,
      });
    });
    const search = searchIn(alike);
    expect(namesOf(search.find("item identifier", { limit: 1 }))).toHaveLength(1);
    expect(namesOf(search.find("delete an item", { limit: 1 }))[0]).toMatch(/^delete_item_/);
    expect(search.find("rent an item")).toEqual([]);
  });

  test("finds tools by the instructions of their server", () => {
    const search = createToolSearch();
    search.follow(TOOLS, (server) => (server === "files" ? "Sandbox for spreadsheets." : undefined));
    expect(search.find("spreadsheets sandbox")[0]?.server).toBe("files");
  });

  test("does not let one server crowd out the others", () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      tool({ server: "spam", tool: `report_${index}`, description: "Weekly report, sales report, report." }),
    );
    const other = tool({ server: "office", tool: "send", description: "Sends the weekly report." });
    const found = searchIn([...many, other]).find("weekly report", { limit: 5 });
    expect(found).toHaveLength(5);
    expect(found).toContain(other);
    expect(searchIn([...many, other]).find("weekly report of spam", { limit: 5 })).toHaveLength(5);
  });

  test("finds what it is asked for", () => {
    const search = searchIn();
    expect(search.find("repository", { limit: 1 })).toHaveLength(1);
    expect(search.find("list", { servers: ["mongodb"] }).map(({ server }) => server)).toEqual(["mongodb"]);
    expect(search.find("create_issue", { servers: [] })).toEqual([]);
    expect(search.find("create_issue", { tools: ({ server }) => server !== "forge" })).not.toContain(
      TOOLS[0],
    );
  });

  test("follows changes, at once or in steps", () => {
    const search = searchIn();
    search.find("anything");
    const added = tool({ server: "music", tool: "play_song", description: "Plays a song." });
    const changed = tool({ server: "forge", tool: "create_issue", description: "Writes a poem." });
    search.follow([...TOOLS.slice(1), added, changed]);
    expect(search.work(() => true)).toBe(false);
    expect(search.find("play a song")).toEqual([added]);
    expect(search.find("create_issue")[0]).toBe(changed);
    expect(search.find("poem")).toEqual([changed]);
    expect(search.work(() => true)).toBe(true);
    search.follow(TOOLS);
    expect(search.find("play a song")).toEqual([]);
    expect(search.find("create_issue")[0]).toBe(TOOLS[0]);
  });

  test("gives the same answer, whatever the order of the tools", () => {
    const queries = ["create", "list", "repository issue", "database"];
    const backwards = searchIn([...TOOLS].reverse());
    for (const query of queries) expect(backwards.find(query)).toEqual(searchIn().find(query));
  });

  test("shows a program's own ranking the candidates, and keeps its order", () => {
    const shown: (readonly ToolDescriptor[])[] = [];
    const search = createToolSearch({
      rank: (query, candidates) => {
        expect(query).toBe("issue");
        shown.push(candidates);
        return [...candidates].reverse();
      },
    });
    search.follow(TOOLS);
    const found = search.find("issue", { limit: 2 });
    expect(found).toEqual([...(shown[0] ?? [])].reverse().slice(0, 2));
  });

  test("survives names, descriptions and schemas of any kind", () => {
    const circular: Record<string, unknown> = { type: "object" };
    circular.properties = { again: circular };
    const odd = [
      tool({ server: "__proto__", tool: "constructor", description: "toString" }),
      tool({ server: "ö", tool: "größe", description: "Ändert die Größe. 把文件移动到文件夹" }),
      tool({ server: "x", tool: "1", properties: { again: circular } }),
      tool({ server: "long", tool: "long", description: "x ".repeat(500_000) }),
    ];
    const search = searchIn(odd);
    expect(search.find("constructor")[0]).toBe(odd[0]);
    expect(search.find("Größe")[0]).toBe(odd[1]);
    expect(search.find("移动文件")[0]).toBe(odd[1]);
    expect(search.find("hasOwnProperty valueOf")).toEqual([]);
    search.find("word ".repeat(100_000));
  });

  test.each([
    [5, undefined],
    ["a", { limit: 0 }],
    ["a", { limit: 1.5 }],
    ["a", { servers: "forge" }],
    ["a", { servers: [1] }],
    ["a", { tools: ["x"] }],
  ])("refuses %j with %j", (query, options) => {
    expect(() => searchIn().find(query as never, options as never)).toThrow(
      expect.objectContaining({ code: "MCP_CONFIG_INVALID" }),
    );
  });
});
