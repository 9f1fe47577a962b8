import { symlink } from "node:fs/promises";
import { join } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { createReadOnce, readHostFiles } from "../../src/discovery/host-files.ts";
import type { HostSurroundings } from "../../src/hosts/host-dialect.ts";
import { dialectOf } from "../../src/hosts/host-dialects.ts";
import { createServerResolver } from "../../src/index.ts";
import { readHostServersSafely } from "../../src/sources/host-servers.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";
import { refused, signal } from "../resolution.ts";

const homeWith = useHomeFolder();
const CLAUDE = { hosts: ["claude-code"] };

const installed = (home: string, ...folders: readonly string[]) => {
  const plugins = folders.map((folder) => [`${folder}@market`, [{ installPath: join(home, folder) }]]);
  return [".claude/plugins/installed_plugins.json", { plugins: Object.fromEntries(plugins) }] as const;
};
const servers = (entries: object) => ({ mcpServers: entries });
const facts = (found: readonly ServerDefinition[]) =>
  found.map((server) => [server.name, "command" in server ? server.command : "", server.definedIn.scope]);

describe("Claude Code", () => {
  test("finds the record of a project that is opened through a link, with its servers and its off-list", async () => {
    const { discover, write, home, project } = await homeWith();
    const record = { ...servers({ db: { command: "local" } }), disabledMcpServers: ["off"] };
    const user = servers({ db: { command: "user" }, off: { command: "off" } });
    await write(".claude.json", { ...user, projects: { [project]: record } });
    const link = join(home, "link");
    await symlink(project, link);
    for (const cwd of [project, link]) {
      const { servers: found } = await discover({ ...CLAUDE, cwd });
      expect(facts(found)).toEqual([
        ["db", "local", "local"],
        ["off", "off", "user"],
      ]);
      expect(found[1]).toMatchObject({ enabled: false, disabledBy: "disabledMcpServers" });
    }
  });

  test("prefers local, then project, then user, then plugin servers", async () => {
    const all = (command: string) => servers({ s: { command }, [command]: { command } });
    const { discover, write, home, project } = await homeWith({
      "work/.mcp.json": all("project"),
      "plugin/.mcp.json": {
        s: { command: "${CLAUDE_PLUGIN_ROOT}/s" },
        bare: { command: "${CLAUDE_PLUGIN_ROOT}/b" },
      },
      ".claude/settings.json": { enabledPlugins: { "off@market": false } },
      "off/.claude-plugin/plugin.json": { name: "off", ...servers({ off: { command: "off" } }) },
    });
    const plugins = {
      "tool@market": [{ installPath: join(home, "plugin") }],
      "off@market": { installPath: join(home, "off") },
    };
    await write(".claude/plugins/installed_plugins.json", { plugins });
    const user = { ...all("user"), projects: { [project]: all("local"), "/other": all("other") } };
    await write(".claude.json", user);
    const { servers: found, shadowed } = await discover(CLAUDE);
    expect(facts(found)).toEqual([
      ["s", "local", "local"],
      ["local", "local", "local"],
      ["project", "project", "project"],
      ["user", "user", "user"],
      ["bare", "${CLAUDE_PLUGIN_ROOT}/b", "extension"],
      ["off", "off", "extension"],
    ]);
    expect(facts(shadowed.map(({ definition }) => definition)).map(([, , scope]) => scope)).toEqual([
      "project",
      "user",
      "extension",
    ]);
    expect(found.find(({ name }) => name === "bare")?.definedIn).toMatchObject({
      host: "claude-plugin",
      root: join(home, "plugin"),
    });
    expect(found.find(({ name }) => name === "off")).toMatchObject({
      enabled: false,
      disabledBy: "enabledPlugins",
    });
  });

  test("drops a plugin's server that has the endpoint of a user's", async () => {
    const { discover, write, home } = await homeWith({
      "plugin/.mcp.json": servers({ theirs: { command: "x" }, far: { type: "sse", url: "https://h/mcp" } }),
    });
    await write(...installed(home, "plugin"));
    const own = { mine: { command: "x" }, url: { type: "http", url: "https://h/mcp" } };
    await write(".claude.json", servers(own));
    const { servers: found, shadowed } = await discover(CLAUDE);
    expect(found.map(({ name }) => name)).toEqual(["mine", "url"]);
    expect(shadowed).toMatchObject([
      { by: "mine", reason: "endpoint" },
      { by: "url", reason: "endpoint" },
    ]);
  });

  test("compares a plugin's server by its command line or URL, whatever its credentials", async () => {
    const { discover, write, home } = await homeWith({
      "one/.mcp.json": servers({
        process: { command: "npx", args: ["fs"], env: { TOKEN: "theirs" } },
        remote: { type: "http", url: "https://h/mcp" },
        path: { command: "${CLAUDE_PLUGIN_ROOT}/serve" },
        twin: { command: "twin" },
        off: { command: "off" },
      }),
      "two/.mcp.json": servers({
        other: { command: "${CLAUDE_PLUGIN_ROOT}/serve" },
        again: { command: "twin", env: { A: "1" } },
        more: { command: "npx", args: ["fs", "more"] },
      }),
    });
    await write(...installed(home, "one", "two"));
    const own = {
      mine: { command: "npx", args: ["fs"] },
      url: { type: "http", url: "https://h/mcp/", headers: { Authorization: "Bearer ${MINE}" } },
      offToo: { command: "off", enabled: false },
    };
    await write(".claude.json", servers(own));
    const { servers: found, shadowed } = await discover(CLAUDE);
    expect(found.map(({ name }) => name).sort()).toEqual(
      ["mine", "more", "off", "offToo", "other", "path", "twin", "url"].sort(),
    );
    expect(shadowed.map(({ definition, by, reason }) => [definition.name, by, reason])).toEqual([
      ["process", "mine", "endpoint"],
      ["remote", "url", "endpoint"],
      ["again", "twin", "endpoint"],
    ]);
  });

  test("keeps a plugin's server if the one that it repeats loses its name to another host", async () => {
    const { discover, write, home } = await homeWith({
      "one/.mcp.json": servers({ b: { type: "http", url: "https://x.example/mcp" } }),
      "two/.mcp.json": servers({ c: { type: "http", url: "https://x.example/mcp" } }),
      "three/.mcp.json": servers({
        c: { type: "http", url: "https://z.example/mcp" },
        d: { type: "http", url: "https://x.example/mcp" },
      }),
      ".config/jackfield/mcp.json": servers({ b: { url: "https://other.example/" } }),
    });
    await write(...installed(home, "one", "two", "three"));
    const { servers: found, shadowed } = await discover({ hosts: ["jackfield", "claude-code"] });
    expect(found.map((server) => [server.name, "url" in server && server.url])).toEqual([
      ["b", "https://other.example/"],
      ["c", "https://x.example/mcp"],
    ]);
    expect(shadowed.map(({ definition, by, reason }) => [definition.name, by, reason])).toEqual([
      ["b", "b", "name"],
      ["c", "c", "name"],
      ["d", "c", "endpoint"],
    ]);
  });

  test("disables any server by disabledMcpServers, project servers by disabledMcpjsonServers", async () => {
    const { discover, write, project } = await homeWith({
      "work/.mcp.json": servers({ a: { command: "a" }, b: { command: "b" }, c: { command: "c" } }),
      "work/.claude/settings.json": {
        disabledMcpjsonServers: ["b", "user"],
        enableAllProjectMcpServers: true,
      },
    });
    const user = {
      ...servers({ user: { command: "u" } }),
      projects: { [project]: { disabledMcpServers: ["a"] } },
    };
    await write(".claude.json", user);
    const { servers: found } = await discover(CLAUDE);
    expect(found.map(({ name, enabled = true, disabledBy }) => [name, enabled, disabledBy])).toEqual([
      ["a", false, "disabledMcpServers"],
      ["b", false, "disabledMcpjsonServers"],
      ["c", true, undefined],
      ["user", true, undefined],
    ]);
  });

  test("refuses a url without a type and lists the valid types", async () => {
    const { diagnostics } = await parse(servers({ s: { url: "https://h" } }));
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", pointer: "/mcpServers/s/url" }]);
    expect(diagnostics[0]?.message).toContain('"http" or "streamable-http" or "sse"');
  });

  test("refuses the reserved name workspace, except in a plugin", async () => {
    const entries = servers({ workspace: { command: "x" }, ok: { command: "x" } });
    const { names, diagnostics } = await parse(entries);
    expect(names).toEqual(["ok"]);
    expect(diagnostics).toMatchObject([
      { code: "ServerConfigError", severity: "error", server: "workspace", pointer: "/mcpServers/workspace" },
    ]);
    expect(diagnostics[0]?.message).toContain("reserved");
    expect((await parse(entries, { host: "claude-plugin" })).names).toEqual(["workspace", "ok"]);
  });

  test.each([
    ["wss://h/mcp", "url"],
    ["https://h/mcp", "url"],
    ["${URL}/mcp", "type"],
  ])("reports a WebSocket server (%s) as unsupported, not as an error", async (url, field) => {
    const { names, servers: found, diagnostics } = await parse(servers({ s: { type: "ws", url } }));
    expect(names).toEqual(["s"]);
    expect(found[0]?.definition).not.toMatchObject({ url: expect.stringContaining("http") });
    expect(diagnostics).toMatchObject([
      { code: "unsupported-address", severity: "warning", server: "s", pointer: `/mcpServers/s/${field}` },
    ]);
  });

  test("refuses a WebSocket url with another type", async () => {
    const { names, told } = await parse(servers({ s: { type: "http", url: "wss://h" } }));
    expect([names, told]).toEqual([[], ["ServerConfigError: s"]]);
  });

  test("ignores and reports a timeout below a second", async () => {
    const {
      servers: found,
      told,
      diagnostics,
    } = await parse(servers({ s: { command: "x", timeout: 999 }, t: { command: "x", timeout: 1000 } }));
    expect(found.map(({ written }) => written.timeoutMs)).toEqual([undefined, 1000]);
    expect(told).toEqual(["invalid-field: s"]);
    expect(diagnostics[0]?.message).toMatch(
      /"timeout" is outside the range that its host accepts. It is left out.$/,
    );
  });

  test("reports headersHelper as a command substitution", async () => {
    const { told } = await parse(
      servers({ s: { type: "http", url: "https://h", headersHelper: "touch /tmp/x" } }),
    );
    expect(told).toEqual(["command-substitution: s"]);
  });

  test("reads a single file's first project unless cwd names another", async () => {
    const content = {
      projects: { "/a": servers({ a: { command: "a" } }), "/b": servers({ b: { command: "b" } }) },
    };
    const first = await parse(content);
    expect([first.names, first.told]).toEqual([["a"], ["project-chosen"]]);
    const meant = await parse(content, { cwd: "/b" });
    expect([meant.names, meant.told]).toEqual([["b"], []]);
    const unknown = await parse({ ...content, ...servers({ u: { command: "u" } }) }, { cwd: "/c" });
    expect([unknown.names, unknown.told]).toEqual([["u"], ["project-chosen"]]);
    expect(unknown.diagnostics[0]?.pointer).toBe("/projects");
  });

  test("finds the record of a folder's project from a folder inside", async () => {
    const { project } = await homeWith({ "work/deep/er/file": "" });
    const content = { projects: { "/a": servers({ a: {} }), [project]: servers({ own: { command: "x" } }) } };
    const inside = await parse(content, { cwd: join(project, "deep", "er") });
    expect([inside.names, inside.told]).toEqual([["own"], []]);
  });

  test.each(["claude-code", "claude-plugin"])(
    "keeps the machine's credentials from remote servers (%s)",
    async (host) => {
      const text = "${ANTHROPIC_API_KEY}|${NPM_TOKEN:-none}|${OTHER_TOKEN}";
      const env = { ANTHROPIC_API_KEY: "hidden", NPM_TOKEN: "hidden", OTHER_TOKEN: "other" };
      const remote = { type: "http", url: "https://h/${NPM_TOKEN}", headers: { A: text } };
      const own = { ...remote, env: { ANTHROPIC_API_KEY: "own" } };
      const entries = { remote, own, local: { command: "x", args: [text] } };
      const { servers: found } = await parse(servers(entries), { host });
      const resolve = createServerResolver({ env });
      const resolved = await Promise.all(found.map(({ definition }) => resolve(definition, { signal })));
      expect(resolved).toMatchObject([
        { url: "https://h/", headers: { A: "||other" } },
        { url: "https://h/", headers: { A: "own||other" } },
        { args: ["hidden|hidden|other"] },
      ]);
    },
  );

  test("fails a project's remote server that refers to a credential's variable", async () => {
    const remote = { type: "http", url: "https://h", headers: { A: "${NPM_TOKEN}" } };
    const { servers: found } = await parse(servers({ remote }), { file: "/p/.mcp.json" });
    const definition = found[0]?.definition as ServerDefinition;
    expect(definition.definedIn.scope).toBe("project");
    const error = await refused(createServerResolver({ isAdmitted: () => true })(definition, { signal }));
    expect(error.code).toBe("MCP_CONFIG_VARIABLE_MISSING");
  });
});

describe("the managed-settings.d folder of Claude Code", () => {
  test("is read for its visible JSON files only", async () => {
    const { home, project } = await homeWith({
      ".claude.json": { mcpServers: { a: { command: "a" }, b: { command: "b" } } },
      "policy/managed-settings.d/10-b.json": { deniedMcpServers: [{ serverName: "b" }] },
      "policy/managed-settings.d/README.md": "# Settings",
      "policy/managed-settings.d/10-b.json.bak": "{",
      "policy/managed-settings.d/.DS_Store": "\0",
      "policy/managed-settings.d/.20-a.json": { deniedMcpServers: [{ serverName: "a" }] },
      "policy/managed-settings.d/old/20-a.json": { deniedMcpServers: [{ serverName: "a" }] },
      "policy/managed-settings.d/old.json/20-a.json": { deniedMcpServers: [{ serverName: "a" }] },
    });
    const dialect = dialectOf("claude-code");
    if (!dialect) throw new Error("claude-code");
    // The tests must not write to the administrator's real folder.
    const files = dialect.files.map((file) => ({
      ...file,
      paths: (at: HostSurroundings) =>
        file
          .paths(at)
          .map((path) => ({ ...path, file: path.file.replace("/etc/claude-code", `${home}/policy`) })),
    }));
    const at = { home, cwd: project, projectTop: project, env: {}, platform: "linux" } as const;
    const found = await readHostFiles(
      { ...dialect, files },
      at,
      createReadOnce(() => {}),
      () => {},
    );
    expect(found.problems).toEqual([]);
    const context = {
      folders: [project],
      isStandaloneFile: false,
      platform: "linux",
      remark: () => {},
    } as const;
    const { entries } = readHostServersSafely(found, context, () => {});
    expect(
      entries.map(({ name, outcome }) => [
        name,
        "definition" in outcome ? outcome.definition.disabledBy : "error",
      ]),
    ).toEqual([
      ["a", undefined],
      ["b", "deniedMcpServers"],
    ]);
  });
});
