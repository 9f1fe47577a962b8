import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createServerResolver, type ServerResolverOptions } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";
import { refused, signal } from "../resolution.ts";

const homeWith = useHomeFolder();
const HOST = { host: "claude-plugin", file: "/plugin/.claude-plugin/plugin.json" };
const servers = (entries: object) => ({ mcpServers: entries });

/** A home with one plugin in the folder `plugin`, and what is found of it. */
async function pluginWith(mcpServers: unknown, files: { [path: string]: unknown }) {
  const home = await homeWith({ "plugin/.claude-plugin/plugin.json": { name: "p", mcpServers }, ...files });
  const plugins = { "p@market": [{ installPath: join(home.home, "plugin") }] };
  await home.write(".claude/plugins/installed_plugins.json", { plugins });
  return { ...home, find: () => home.discover({ hosts: ["claude-code"] }) };
}

const names = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name);

describe("a Claude plugin manifest that names server files", () => {
  test("is followed to each of them", async () => {
    const { find, home } = await pluginWith(["./cfg/servers.json", "./more.json"], {
      "plugin/cfg/servers.json": servers({ a: { command: "${CLAUDE_PLUGIN_ROOT}/a" } }),
      "plugin/more.json": { bare: { command: "b" } },
      "plugin/.mcp.json": servers({ root: { command: "c" } }),
    });
    const { servers: found, problems, diagnostics } = await find();
    expect(names(found)).toEqual(["root", "a", "bare"]);
    expect([problems, diagnostics]).toEqual([[], []]);
    expect(found[1]?.definedIn).toMatchObject({
      scope: "extension",
      host: "claude-plugin",
      root: join(home, "plugin"),
      file: join(home, "plugin/cfg/servers.json"),
    });
  });

  test("does not repeat the servers of a file that is read anyway", async () => {
    const { find } = await pluginWith("./.mcp.json", {
      "plugin/.mcp.json": servers({ a: { command: "a" } }),
    });
    const { servers: found, diagnostics } = await find();
    expect([names(found), diagnostics]).toEqual([["a"], []]);
  });

  test.each(["../outside.json", "./../outside.json", "./link.json", "./folder/outside.json"])(
    "is not followed out of the plugin: %s",
    async (path) => {
      const outside = servers({ a: { command: "a" } });
      const { find, home } = await pluginWith(path, {
        "outside.json": outside,
        "elsewhere/outside.json": outside,
      });
      await symlink(join(home, "outside.json"), join(home, "plugin/link.json"));
      await symlink(join(home, "elsewhere"), join(home, "plugin/folder"));
      const { servers: found, problems } = await find();
      expect(found).toEqual([]);
      expect(problems).toMatchObject([{ kind: "ConfigReadError", definedIn: { host: "claude-plugin" } }]);
      expect(problems[0]?.error.message).toContain("outside the extension");
    },
  );

  test("is not followed to an absolute path", async () => {
    const { find, write, home } = await pluginWith({}, { "outside.json": servers({ a: { command: "a" } }) });
    const manifest = { name: "p", mcpServers: join(home, "outside.json") };
    await write("plugin/.claude-plugin/plugin.json", manifest);
    const { servers: found, problems } = await find();
    expect([found, problems.length]).toEqual([[], 1]);
  });

  test("is followed in a plugin folder behind a link", async () => {
    const { find, write, home } = await pluginWith("./cfg.json", {
      "plugin/cfg.json": servers({ a: { command: "a" } }),
    });
    await symlink(join(home, "plugin"), join(home, "linked"));
    const plugins = { "p@market": [{ installPath: join(home, "linked") }] };
    await write(".claude/plugins/installed_plugins.json", { plugins });
    const { servers: found, problems } = await find();
    expect([names(found), problems]).toEqual([["a"], []]);
  });

  test("gives a problem if a file is missing", async () => {
    const { find } = await pluginWith("./nowhere.json", {});
    const { problems } = await find();
    expect(problems).toMatchObject([{ kind: "ConfigReadError" }]);
    expect(problems[0]?.error.message).toContain("nowhere.json");
  });

  test("may name a bundle, which is not opened", async () => {
    const { find } = await pluginWith("./server.mcpb", { "plugin/server.mcpb": "PK" });
    const { problems, diagnostics } = await find();
    expect(problems).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: "no-servers", pointer: "/mcpServers" }]);
    expect(diagnostics[0]?.message).toContain("bundle");
  });

  test("may name a bundle by URL, whose credentials stay out of the diagnostic", async () => {
    const mcpServers = "https://u:planted@host.example/a.mcpb?token=planted#planted";
    const { diagnostics } = await parse({ name: "p", mcpServers }, HOST);
    expect(diagnostics[0]?.message).toContain('"https://host.example/a.mcpb" is a bundle');
    expect(JSON.stringify(diagnostics)).not.toContain("planted");
  });

  test.each<[unknown]>([["./cfg/servers.json"], [["./cfg/servers.json"]]])(
    "parsed on its own gives an info diagnostic that names the file: %j",
    async (mcpServers) => {
      const { names: found, diagnostics } = await parse({ name: "p", mcpServers }, HOST);
      expect(found).toEqual([]);
      expect(diagnostics).toMatchObject([{ code: "no-servers", severity: "info", pointer: "/mcpServers" }]);
      expect(diagnostics[0]?.message).toContain('"./cfg/servers.json"');
    },
  );

  test.each<[unknown]>([[7], [[{ a: { command: "a" } }]], [[]]])(
    "is refused if it has %j instead",
    async (mcpServers) => {
      expect((await parse({ name: "p", mcpServers }, HOST)).told).toEqual(["ConfigShapeError"]);
    },
  );
});

describe("a plugin's data folder", () => {
  const entry = { command: "x", args: ["${CLAUDE_PLUGIN_DATA}/cache"] };

  /** A home with a plugin in this folder, and its resolved server. */
  async function dataOf(folder: string, config: string, options: (home: string) => ServerResolverOptions) {
    const { home, write, discover } = await homeWith({ [`${folder}/.mcp.json`]: servers({ s: entry }) });
    const plugins = { "my.tool@the market": [{ installPath: join(home, folder) }] };
    await write(`${config}/plugins/installed_plugins.json`, { plugins });
    const { servers: found } = await discover({
      hosts: ["claude-code"],
      env: { CLAUDE_CONFIG_DIR: join(home, config) },
    });
    const [definition] = found;
    if (!definition) throw new Error("no server was found");
    const resolved = createServerResolver(options(home))(definition, { signal });
    return { home, resolved };
  }

  test("is the one of Claude Code, beside the list of installed plugins", async () => {
    const folder = ".claude/plugins/cache/the market/my.tool/1.0.0";
    const { home, resolved } = await dataOf(folder, ".claude", () => ({ env: {} }));
    expect(await resolved).toMatchObject({
      args: [join(home, ".claude/plugins/data/my-tool-the-market/cache")],
    });
  });

  test.each<[string, string, (home: string) => { [name: string]: string }]>([
    ["in the home folder", ".claude", (home) => ({ HOME: home })],
    [
      "by CLAUDE_CONFIG_DIR",
      "moved",
      (home) => ({ HOME: "/nowhere", CLAUDE_CONFIG_DIR: join(home, "moved") }),
    ],
  ])("is found for a plugin outside Claude Code's folders: %s", async (_what, config, env) => {
    const { home, resolved } = await dataOf("mine/plugin", config, (folder) => ({ env: env(folder) }));
    expect(await resolved).toMatchObject({
      args: [join(home, config, "plugins/data/my-tool-the-market/cache")],
    });
  });

  test("is unknown for a plugin that is not installed, and the error gives advice", async () => {
    const { resolved } = await dataOf("mine/plugin", ".claude", () => ({ env: { HOME: "/nowhere" } }));
    const error = await refused(resolved);
    expect(error).toMatchObject({ code: "MCP_CONFIG_VARIABLE_MISSING" });
    expect(error.message).toContain("does not know this path; write it out");
  });

  test("is unknown for Agent Plugins, and the error gives advice", async () => {
    const text = servers({ s: { type: "stdio", command: "x", args: ["${PLUGIN_DATA}"] } });
    const { servers: found } = await parse(text, { host: "agent-plugins" });
    const definition = found[0]?.definition;
    if (!definition) throw new Error("no server was found");
    const error = await refused(createServerResolver({ env: {} })(definition, { signal }));
    expect(error.message).toContain("does not know this path; write it out");
  });
});
