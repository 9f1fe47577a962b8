import { describe, expect, test } from "vitest";
import type { DiscoverServersOptions } from "../../src/index.ts";
import { useHomeFolder } from "./home-folder.ts";

const homeWith = useHomeFolder();

const OWN_FILE = ".config/jackfield/mcp.json";
const servers = (entries: object) => ({ mcpServers: entries });
const server = { command: "npx", args: ["-y", "@acme/github"] };
const filtered = { ...server, tools: { exclude: ["delete_repository"] } };

/** The names of the used servers and of the shadowed ones. */
async function findNames(files: { [path: string]: unknown }, options: DiscoverServersOptions = {}) {
  const { discover, home } = await homeWith(files);
  const named = options.files?.map((file) => `${home}/${file}`);
  const hosts = ["jackfield", "cursor", "kiro"];
  const merged = await discover({ hosts, ...options, files: named });
  return [merged.servers, merged.shadowed.map(({ definition }) => definition)].map((definitions) =>
    definitions.map(({ name }) => name),
  );
}

describe("an entry of Jackfield's own configuration", () => {
  const theirs = { ".cursor/mcp.json": servers({ github: server }) };

  test.each<[string, { [path: string]: unknown }, DiscoverServersOptions]>([
    ["the user's file", { [OWN_FILE]: servers({ gh: filtered }) }, {}],
    ["a named file", { "named.json": servers({ gh: filtered }) }, { files: ["named.json"] }],
    ["code", {}, { servers: { gh: filtered } }],
  ])(
    "shadows other hosts' entries for its endpoint, although they offer more tools: %s",
    async (_what, own, options) => {
      expect(await findNames({ ...theirs, ...own }, options)).toEqual([["gh"], ["github"]]);
    },
  );

  test("shadows every entry of other hosts for its endpoint, whatever tools it offers", async () => {
    const few = { ...server, disabledTools: ["star"] };
    const files = {
      [OWN_FILE]: servers({ gh: filtered }),
      ".cursor/mcp.json": servers({ all: server, again: server }),
      ".kiro/settings/mcp.json": servers({ few, both: server }),
    };
    expect(await findNames(files)).toEqual([["gh"], ["all", "again", "few", "both"]]);
  });

  test("does not shadow an entry that uses another account's token variable", async () => {
    const files = {
      [OWN_FILE]: servers({ gh: { ...filtered, env: { GITHUB_TOKEN: "${WORK_TOKEN}" } } }),
      ".cursor/mcp.json": servers({ github: { ...server, env: { GITHUB_TOKEN: "${env:HOME_TOKEN}" } } }),
    };
    expect(await findNames(files)).toEqual([["gh", "github"], []]);
  });

  test("does not shadow Jackfield's other entries, or any entry while disabled", async () => {
    const own = servers({ gh: filtered, all: server });
    expect(await findNames({ [OWN_FILE]: own })).toEqual([["gh", "all"], []]);
    const off = servers({ gh: { ...filtered, enabled: false } });
    expect(await findNames({ ...theirs, [OWN_FILE]: off })).toEqual([["gh", "github"], []]);
  });

  test("is shadowed by a stronger entry of another host only if that offers the same tools", async () => {
    const project = { "work/.cursor/mcp.json": servers({ theirs: server }) };
    expect(await findNames({ ...project, [OWN_FILE]: servers({ gh: filtered }) })).toEqual([
      ["theirs", "gh"],
      [],
    ]);
    expect(await findNames({ ...project, [OWN_FILE]: servers({ gh: server }) })).toEqual([
      ["theirs"],
      ["gh"],
    ]);
  });
});
