import { describe, expect, test } from "vitest";
import type { DiscoverServersOptions } from "../../src/index.ts";
import { useHomeFolder } from "./home-folder.ts";

const homeWith = useHomeFolder();

const OWN_FILE = ".config/jackfield/mcp.json";
const servers = (entries: object) => ({ mcpServers: entries });
const server = { command: "npx", args: ["-y", "@acme/github"] };
const careful = { ...server, tools: { exclude: ["delete_repository"] } };

/** The names of what is used, and of what stands behind it. */
async function found(files: { [path: string]: unknown }, options: DiscoverServersOptions = {}) {
  const { discover, home } = await homeWith(files);
  const named = options.files?.map((file) => `${home}/${file}`);
  const hosts = ["jackfield", "cursor", "kiro"];
  const merged = await discover({ hosts, ...options, files: named });
  return [merged.servers, merged.shadowed.map(({ definition }) => definition)].map((definitions) =>
    definitions.map(({ name }) => name),
  );
}

describe("what Jackfield's own configuration says of an endpoint", () => {
  const theirs = { ".cursor/mcp.json": servers({ github: server }) };

  test.each<[string, { [path: string]: unknown }, DiscoverServersOptions]>([
    ["the user's file", { [OWN_FILE]: servers({ gh: careful }) }, {}],
    ["a file that is named", { "named.json": servers({ gh: careful }) }, { files: ["named.json"] }],
    ["code", {}, { servers: { gh: careful } }],
  ])(
    "holds for other hosts' entries, which offer no tool that it leaves out: %s",
    async (_what, own, options) => {
      expect(await found({ ...theirs, ...own }, options)).toEqual([["gh"], ["github"]]);
    },
  );

  test("holds for every entry of every other host, whatever these offer", async () => {
    const few = { ...server, disabledTools: ["star"] };
    const files = {
      [OWN_FILE]: servers({ gh: careful }),
      ".cursor/mcp.json": servers({ all: server, again: server }),
      ".kiro/settings/mcp.json": servers({ few, both: server }),
    };
    expect(await found(files)).toEqual([["gh"], ["all", "again", "few", "both"]]);
  });

  test("holds for other accounts of the same server no more than before", async () => {
    const files = {
      [OWN_FILE]: servers({ gh: { ...careful, env: { GITHUB_TOKEN: "${WORK_TOKEN}" } } }),
      ".cursor/mcp.json": servers({ github: { ...server, env: { GITHUB_TOKEN: "${env:HOME_TOKEN}" } } }),
    };
    expect(await found(files)).toEqual([["gh", "github"], []]);
  });

  test("does not hold for its own other entries, nor once it is switched off", async () => {
    const own = servers({ gh: careful, all: server });
    expect(await found({ [OWN_FILE]: own })).toEqual([["gh", "all"], []]);
    const off = servers({ gh: { ...careful, enabled: false } });
    expect(await found({ ...theirs, [OWN_FILE]: off })).toEqual([["gh", "github"], []]);
  });

  test("gives way to a stronger entry of another host only where that offers the same tools", async () => {
    const project = { "work/.cursor/mcp.json": servers({ theirs: server }) };
    expect(await found({ ...project, [OWN_FILE]: servers({ gh: careful }) })).toEqual([["theirs", "gh"], []]);
    expect(await found({ ...project, [OWN_FILE]: servers({ gh: server }) })).toEqual([["theirs"], ["gh"]]);
  });
});
