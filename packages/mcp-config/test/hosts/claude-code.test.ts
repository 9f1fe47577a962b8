import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { createServerResolver } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";
import { signal } from "../resolution.ts";

const homeWith = useHomeFolder();
const CLAUDE = { hosts: ["claude-code"] };
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

  test("gives a project's remote server no credential of the machine", async () => {
    const remote = { type: "http", url: "https://h", headers: { A: "${NPM_TOKEN}" } };
    const { servers: found } = await parse(servers({ remote }), { file: "/p/.mcp.json" });
    const definition = found[0]?.definition as ServerDefinition;
    expect(definition.definedIn.scope).toBe("project");
    const resolve = createServerResolver({ env: { NPM_TOKEN: "planted" }, isAdmitted: () => true });
    expect(await resolve(definition, { signal })).toMatchObject({ headers: { A: "" } });
  });
});

test.each([
  ["claude-code", ".mcp.json", "project"],
  ["jackfield", ".mcp.json", "project"],
  ["claude-code", ".claude.json", "user"],
])("CLAUDE_PROJECT_DIR is the project's folder: %s, %s", async (host, path, scope) => {
  const entry = {
    command: "x",
    args: ["${CLAUDE_PROJECT_DIR}/a", "${CLAUDE_PROJECT_DIR:-.}"],
    env: { ROOT: "${CLAUDE_PROJECT_DIR}" },
  };
  const { discover, project } = await homeWith({
    [scope === "user" ? path : `work/${path}`]: servers({ s: entry }),
  });
  const cwd = join(project, "sub");
  await mkdir(cwd);
  const { servers: found } = await discover({ hosts: [host], cwd });
  const options = { env: { CLAUDE_PROJECT_DIR: "/elsewhere" }, cwd: project, isAdmitted: () => true };
  const resolved = await createServerResolver(options)(found[0] as ServerDefinition, { signal });
  const env = { ROOT: project, CLAUDE_PROJECT_DIR: project };
  expect(resolved).toMatchObject({ args: [`${project}/a`, project], env });
});

test("children get the folders that Claude Code gives them, unless their entry sets them", async () => {
  const { discover, home, project } = await homeWith({
    ".claude/plugins/installed_plugins.json": { plugins: {} },
    ".config/jackfield/mcp.json": servers({ own: { command: "x" } }),
    ".cursor/mcp.json": servers({ cursor: { command: "x" } }),
    ".claude.json": servers({
      user: { command: "x" },
      set: { command: "x", env: { CLAUDE_PROJECT_DIR: "." } },
    }),
  });
  const { servers: found } = await discover({ hosts: ["claude-code", "jackfield", "cursor"] });
  const resolve = createServerResolver({ env: {}, cwd: project });
  const plugin = join(home, "plugin");
  const definedIn = {
    scope: "extension",
    host: "claude-plugin",
    file: `${plugin}/.mcp.json`,
    root: plugin,
  } as const;
  const all = [...found, { name: "plugin", definedIn, transport: "stdio", command: "x" } as const];
  const environments = all.map(async (definition) => {
    const server = await resolve(definition, { signal });
    return [definition.name, "env" in server ? server.env : undefined];
  });
  expect(Object.fromEntries(await Promise.all(environments))).toEqual({
    own: {},
    cursor: {},
    user: { CLAUDE_PROJECT_DIR: project },
    set: { CLAUDE_PROJECT_DIR: "." },
    plugin: { CLAUDE_PROJECT_DIR: project, CLAUDE_PLUGIN_ROOT: plugin },
  });
});

test("servers in Claude Code's settings, from which it reads none, are told by name", async () => {
  const { discover, home } = await homeWith({ ".claude/settings.json": servers({ a: { command: "x" } }) });
  const { servers: found, diagnostics } = await discover(CLAUDE);
  expect(found).toEqual([]);
  const file = join(home, ".claude/settings.json");
  expect(diagnostics).toMatchObject([{ code: "wrong-root-key", file, pointer: "/mcpServers", line: 1 }]);
  expect(diagnostics[0]?.message).toContain('Claude Code reads no servers from this file, so "a" is lost');
});
