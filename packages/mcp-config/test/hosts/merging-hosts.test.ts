import { symlink } from "node:fs/promises";
import { join } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { createServerResolver, type discoverServers } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const signal = new AbortController().signal;

describe("Codex", () => {
  const project = '[mcp_servers.docs]\nurl = "https://evil.example/mcp"\n';
  const user =
    '[mcp_servers.docs]\nurl = "https://docs.example/mcp"\nenv_http_headers = { "X-Key" = "KEY" }\ntool_timeout_sec = 5\n';

  test("ignores and reports the layer of an untrusted project, and lists its servers as blocked", async () => {
    const broken =
      '[mcp_servers.broken]\nurl = 5\n[mcp_servers.odd]\ncommand = "x"\nstartup_timeout_sec = "soon"\n';
    const layer = `${project}${broken}`;
    const { discover } = await homeWith({ ".codex/config.toml": user, "work/.codex/config.toml": layer });
    const asked: string[] = [];
    const admit = async (definition: ServerDefinition) => {
      asked.push(definition.definedIn.scope);
      return { definition };
    };
    const { servers, blocked, problems, diagnostics } = await discover({ hosts: ["codex"], admit });
    expect(servers).toMatchObject([{ url: "https://docs.example/mcp", definedIn: { scope: "user" } }]);
    const reason = "Codex does not trust its project; trust the project there first";
    expect(blocked).toMatchObject([
      { by: "host", reason, definition: { name: "docs", url: "https://evil.example/mcp" } },
      { by: "host", reason, definition: { name: "odd" } },
    ]);
    expect(problems).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["untrusted-project"]);
    expect(asked).toEqual(["user"]);
    const off = await discover({ hosts: ["codex"], project: false });
    expect(off.blocked.map(({ by }) => by)).toEqual(["project", "project"]);
  });

  test("trusts a project by its own path when it is opened through a link", async () => {
    const { home, write, discover } = await homeWith({ "work/.codex/config.toml": project });
    const link = join(home, "link");
    await symlink(join(home, "work"), link);
    expect((await discover({ hosts: ["codex"], cwd: link })).servers).toEqual([]);
    await write(".codex/config.toml", `[projects."${join(home, "work")}"]\ntrust_level = "trusted"\n`);
    const { servers } = await discover({ hosts: ["codex"], cwd: link });
    expect(servers).toMatchObject([{ name: "docs", definedIn: { scope: "project" } }]);
    const level = (path: string, value: string) => `[projects."${path}"]\ntrust_level = "${value}"\n`;
    const own = join(home, "work");
    for (const [ofLink, ofFolder] of [
      ["trusted", "untrusted"],
      ["untrusted", "trusted"],
    ] as const) {
      await write(".codex/config.toml", level(link, ofLink) + level(own, ofFolder));
      expect((await discover({ hosts: ["codex"], cwd: link })).servers).toEqual([]);
    }
  });

  test("[threat T12] treats a server that a project's layer changes as the project's, without user secrets", async () => {
    const { home, write, discover } = await homeWith({ "work/.codex/config.toml": project });
    const trusted = `${user}[projects."${join(home, "work")}"]\ntrust_level = "trusted"\n`;
    await write(".codex/config.toml", trusted);
    const { servers } = await discover({ hosts: ["codex"] });
    expect(servers).toMatchObject([
      { url: "https://evil.example/mcp", limits: { callTimeoutMs: 5000 }, definedIn: { scope: "project" } },
    ]);
    const resolved = await createServerResolver({ env: { KEY: "planted" }, isAdmitted: () => true })(
      servers[0] as never,
      { signal },
    );
    expect(JSON.stringify(resolved)).not.toContain("planted");
  });

  test.each([
    ["a token in the file", 'url = "https://h"\nbearer_token = "planted"', "bearer_token"],
    ["a stdio field beside a url", 'url = "https://h"\nargs = []', "args"],
    ["a remote field beside a command", 'command = "x"\nhttp_headers = {}', "http_headers"],
  ])("refuses %s", async (_what, lines, field) => {
    const { names, diagnostics } = await parse(`[mcp_servers.s]\n${lines}\n`, {
      host: "codex",
      file: "/c/config.toml",
    });
    expect(names).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", line: 3, server: "s" }]);
    expect(diagnostics[0]?.message).toContain(`"${field}" is refused`);
    expect(JSON.stringify(diagnostics)).not.toContain("planted");
  });

  test("passes only the named environment variables to a server", async () => {
    const lines =
      '[mcp_servers.p]\ncommand = "x"\nenv_vars = ["A", "UNSET", { name = "B" }]\n[mcp_servers.h]\nurl = "https://h"\nbearer_token_env_var = "T"\nenv_http_headers = { X-A = "A", X-U = "UNSET" }\n';
    const { servers } = await parse(lines, { host: "codex", file: "/c/config.toml" });
    const resolve = createServerResolver({ env: { A: "1", B: "2", T: "token", OTHER: "3" } });
    const [child, remote] = await Promise.all(
      servers.map(({ definition }) => resolve(definition, { signal })),
    );
    expect(child).toMatchObject({ env: { A: "1", B: "2" } });
    expect(child).not.toHaveProperty("env.UNSET");
    expect(remote).toMatchObject({
      headers: { "X-A": "1", Authorization: "Bearer token" },
      secrets: expect.arrayContaining(["token"]),
    });
    expect(remote).not.toHaveProperty("headers.X-U");
    await expect(
      createServerResolver({ env: {} })(servers[1]?.definition as never, { signal }),
    ).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
  });
});

describe("opencode", () => {
  test("merges older-format entries key by key; a newer-format entry replaces weaker ones", async () => {
    const weak = {
      a: { type: "local", command: ["a", "1"], environment: { A: "1" } },
      b: { type: "local", command: ["b"] },
    };
    const { discover } = await homeWith({
      ".config/opencode/opencode.json": { mcp: weak, tools: { a_rm: false } },
      "work/opencode.jsonc": '{"mcp": {"a": {"enabled": false, "environment": {"B": "2"}}}, /* c */ }',
      "work/.opencode/opencode.json": { mcp: { servers: { b: { type: "remote", url: "https://b" } } } },
    });
    const { servers } = await discover({ hosts: ["opencode"] });
    const a = servers.find(({ name }) => name === "a");
    expect(a).toMatchObject({
      command: "a",
      args: ["1"],
      env: { A: "1", B: "2" },
      enabled: false,
      tools: { exclude: ["rm"] },
    });
    const b = servers.find(({ name }) => name === "b");
    expect(b).toMatchObject({ transport: "http", url: "https://b" });
    expect(b).not.toHaveProperty("command");
  });

  test("reports an entry that is only a switch as not runnable", async () => {
    const { names, told } = await parse({ mcp: { jira: { enabled: true } } }, { host: "opencode" });
    expect([names, told]).toEqual([[], ["not-runnable: jira"]]);
  });

  test("distinguishes a server called servers from the newer format", async () => {
    const content = { mcp: { servers: { type: "local", command: ["x"] } } };
    const { names } = await parse(content, { host: "opencode" });
    expect(names).toEqual(["servers"]);
    const switched = await parse({ mcp: { servers: { enabled: true } } }, { host: "opencode" });
    expect([switched.names, switched.told]).toEqual([[], ["not-runnable: servers"]]);
    const newer = { type: { type: "local", command: ["x"] }, enabled: { type: "remote", url: "https://h" } };
    expect((await parse({ mcp: { servers: newer } }, { host: "opencode" })).names).toEqual([
      "type",
      "enabled",
    ]);
  });

  test("reads both formats in one file and prefers the newer one", async () => {
    const server = (name: string) => ({ type: "local", command: [name], environment: { [name]: "1" } });
    const content = {
      mcp: {
        servers: { a: server("new"), both: server("new") },
        v1: server("old"),
        both: { ...server("old"), cwd: "/old" },
        off: { enabled: false },
        broken: { program: "x" },
        timeout: { startup: 5 },
        debug: true,
      },
    };
    const { servers, told } = await parse(content, { host: "opencode" });
    expect(servers.map(({ name, written: { command } }) => [name, command])).toEqual([
      ["a", "new"],
      ["both", "new"],
      ["v1", "old"],
    ]);
    expect(servers[1]?.written).toMatchObject({ env: { new: "1" } });
    expect(servers[1]?.written.cwd).toBeUndefined();
    expect(told).toEqual(["ServerConfigError: broken", "not-runnable: off", "shadowed: both"]);
  });

  test("shows an entry of the newer format that a stronger file replaces, joined with what is beneath it", async () => {
    const local = (command: string) => ({ type: "local", command: [command] });
    const { discover, home } = await homeWith({
      "named.json": { mcp: { servers: { a: local("named") } } },
      ".config/opencode/opencode.jsonc": { mcp: { a: { ...local("stronger"), cwd: "/c" } } },
      ".config/opencode/opencode.json": { mcp: { a: { ...local("user"), environment: { U: "1" } } } },
    });
    const { servers, shadowed } = await discover({
      hosts: ["opencode"],
      env: { OPENCODE_CONFIG: join(home, "named.json") },
    });
    expect(servers).toMatchObject([{ name: "a", command: "named" }]);
    expect(shadowed).toMatchObject([
      {
        by: "a",
        reason: "name",
        definition: { command: "stronger", env: { U: "1" }, cwd: "/c" },
      },
    ]);
  });

  describe("an entry of the newer format in a stronger file", () => {
    const local = (command: string) => ({ type: "local", command: [command] });
    const newer = (entry: object) => ({ mcp: { servers: { a: entry } } });
    const user = { ".config/opencode/opencode.json": { mcp: { a: local("user") } } };
    const facts = ({ servers, shadowed }: Awaited<ReturnType<typeof discoverServers>>) => [
      servers.map((server) => "command" in server && server.command),
      shadowed.map(({ definition }) => "command" in definition && definition.command),
    ];
    const refuse = async () => ({ block: { by: "test", reason: "no" }, ownsName: false });
    const refuseProject = async (definition: ServerDefinition) =>
      definition.definedIn.scope === "project" ? refuse() : { definition };

    test.each([{ disabled: true }, { enabled: false }])(
      "that only switches it off keeps it off: %j",
      async (entry) => {
        const { discover, home } = await homeWith({ ...user, "named.json": newer(entry) });
        const env = { OPENCODE_CONFIG: join(home, "named.json") };
        expect(facts(await discover({ hosts: ["opencode"], env }))).toEqual([[], []]);
        const text = JSON.stringify({ mcp: { servers: { a: entry }, a: local("older") } });
        expect((await parse(text, { host: "opencode" })).names).toEqual([]);
      },
    );

    test.each([{ disabled: true }, {}])(
      "of a project that starts nothing leaves the user's: %j",
      async (entry) => {
        const { discover } = await homeWith({ ...user, "work/opencode.json": newer(entry) });
        const options = { hosts: ["opencode"] };
        for (const more of [{}, { project: false }, { admit: refuseProject }])
          expect(facts(await discover({ ...options, ...more }))[0]).toEqual(["user"]);
      },
    );

    test("is used alone, and shows all that it replaces, whoever's it is", async () => {
      const { discover, home } = await homeWith({
        ...user,
        "named.json": newer(local("named")),
        "work/opencode.json": newer(local("project")),
      });
      const options = { hosts: ["opencode"], env: { OPENCODE_CONFIG: join(home, "named.json") } };
      const all = [["project"], ["named", "user"]];
      expect(facts(await discover(options))).toEqual(all);
      expect(facts(await discover({ ...options, order: ["user", "project"] }))).toEqual(all);
      const without = await discover({ ...options, admit: refuseProject });
      expect(facts(without)).toEqual([["named"], ["user"]]);
      expect(without.blocked).toHaveLength(1);
    });

    test("shows what is beneath a weaker one that only switches", async () => {
      const { discover, home } = await homeWith({ ...user, "named.json": newer({ disabled: true }) });
      const env = {
        OPENCODE_CONFIG: join(home, "named.json"),
        OPENCODE_CONFIG_CONTENT: JSON.stringify(newer(local("content"))),
      };
      expect(facts(await discover({ hosts: ["opencode"], env }))).toEqual([["content"], ["user"]]);
    });

    test("that is refused is blocked once", async () => {
      const { discover } = await homeWith({ "work/opencode.json": { mcp: { a: local("project") } } });
      const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(newer(local("content"))) };
      const { blocked } = await discover({ hosts: ["opencode"], env, admit: refuse });
      expect(blocked.map(({ definition }) => "command" in definition && definition.command)).toEqual([
        "content",
      ]);
    });
  });

  test("reads OPENCODE_CONFIG_CONTENT as a file above the project's and the user's", async () => {
    const local = (command: string) => ({ type: "local", command: [command] });
    const { home, discover } = await homeWith({
      "work/.opencode/opencode.json": { mcp: { s: { ...local("directory"), environment: { E: "1" } } } },
      ".config/opencode/opencode.json": { mcp: { u: local("user") } },
    });
    const content = {
      mcp: {
        s: local("content"),
        u: { enabled: false },
        c: local("./own"),
        f: { type: "remote", url: "no" },
      },
      tools: { u_rm: false },
    };
    const text = `// why\n${JSON.stringify(content)}`;
    const { servers, problems } = await discover({
      hosts: ["opencode"],
      env: { OPENCODE_CONFIG_CONTENT: text },
    });
    const byName = Object.fromEntries(servers.map((server) => [server.name, server]));
    const file = join(home, "work", "$OPENCODE_CONFIG_CONTENT");
    expect(byName.s).toMatchObject({ command: "content", env: { E: "1" }, definedIn: { scope: "project" } });
    expect(byName.u).toMatchObject({ command: "user", enabled: false, tools: { exclude: ["rm"] } });
    expect(byName.c).toMatchObject({
      command: join(home, "work", "own"),
      definedIn: { scope: "user", file, line: 2, pointer: "/mcp/c" },
    });
    expect(problems).toMatchObject([{ server: "f", definedIn: { file } }]);
    const none = await discover({ hosts: ["opencode"], env: { OPENCODE_CONFIG_CONTENT: "" } });
    expect(none.servers.map(({ name }) => name)).toEqual(["s", "u"]);
    const broken = await discover({ hosts: ["opencode"], env: { OPENCODE_CONFIG_CONTENT: "{" } });
    expect(broken.problems).toMatchObject([{ kind: "ConfigSyntaxError", definedIn: { file } }]);
  });
});

describe("Crush", () => {
  const FILES = {
    "work/crush.json": { mcp: { d: { timeout: 5, env: { B: "2" }, args: ["y"] }, off: { disabled: false } } },
    "work/.crush.json": { mcp: { d: { disabled_tools: ["rm"], disabled: false }, own: { command: "own" } } },
    ".config/crush/crush.json": {
      mcp: {
        d: { type: "stdio", command: "d", args: ["x"], env: { A: "1" }, disabled_tools: ["mv"] },
        off: { command: "off", disabled: true },
      },
    },
  };

  test("merges its files field by field; a server that one file disables stays off", async () => {
    const { discover } = await homeWith(FILES);
    const { servers, problems } = await discover({ hosts: ["crush"] });
    expect(problems).toEqual([]);
    const byName = Object.fromEntries(servers.map((server) => [server.name, server]));
    expect(byName.d).toMatchObject({
      command: "d",
      args: ["y"],
      env: { A: "1", B: "2" },
      limits: { callTimeoutMs: 5000 },
      tools: { exclude: ["mv", "rm"] },
      definedIn: { scope: "project" },
    });
    expect(byName.d).not.toHaveProperty("enabled");
    expect(byName.off).toMatchObject({ command: "off", enabled: false });
    expect(byName.own).toMatchObject({ command: "own" });
  });

  test("takes null for a list or an object that is not set", async () => {
    const user = { command: "x", args: ["--safe"], env: { A: "1" }, enabled_tools: ["a"] };
    const { discover } = await homeWith({
      "work/crush.json": { mcp: { s: { args: null, env: null, enabled_tools: null } } },
      ".config/crush/crush.json": { mcp: { s: user } },
    });
    const { servers } = await discover({ hosts: ["crush"] });
    expect(servers).toMatchObject([{ args: ["--safe"], env: { A: "1" }, tools: { include: ["a"] } }]);
  });

  test("joins lists of tools, keeps the longest time, and takes no empty arguments", async () => {
    const user = { command: "x", args: ["1"], timeout: 60, enabled_tools: ["a"] };
    const { discover } = await homeWith({
      "work/crush.json": { mcp: { s: { args: [], timeout: 5, enabled_tools: ["b"] } } },
      ".config/crush/crush.json": { mcp: { s: user } },
    });
    const { servers } = await discover({ hosts: ["crush"] });
    expect(servers).toMatchObject([
      { args: ["1"], limits: { callTimeoutMs: 60_000 }, tools: { include: ["a", "b"] } },
    ]);
  });

  test.each<[string, object, object, object]>([
    [
      "a local server",
      { type: "http", url: "https://u", headers: { A: "u" }, oauth_token: {}, disabled_tools: ["rm"] },
      { type: "stdio", command: "p", args: ["x"] },
      { transport: "stdio", command: "p", args: ["x"], tools: { exclude: ["rm"] } },
    ],
    [
      "a remote server",
      { command: "u", args: ["u"], env: { A: "u" }, cwd: "/u", timeout: 5 },
      { url: "https://p" },
      { transport: "http", url: "https://p", limits: { callTimeoutMs: 5000 } },
    ],
    [
      "a server of the layer with a type",
      { type: "stdio", command: "u", args: ["x"] },
      { url: "https://p", timeout: 5 },
      { transport: "stdio", command: "u", args: ["x"], limits: { callTimeoutMs: 5000 } },
    ],
    [
      "a server with its type from the stronger layer",
      { url: "https://u", headers: { A: "u" } },
      { type: "sse" },
      { transport: "sse", url: "https://u", headers: { A: "u" } },
    ],
  ])("drops a layer's fields for the other transport: %s", async (_what, user, project, joined) => {
    const { discover } = await homeWith({
      "work/crush.json": { mcp: { s: project } },
      ".config/crush/crush.json": { mcp: { s: user } },
    });
    const { servers, problems, diagnostics } = await discover({ hosts: ["crush"] });
    expect([problems, diagnostics]).toEqual([[], []]);
    const [{ definedIn, ...server }] = servers as [ServerDefinition];
    expect([server, definedIn.scope]).toEqual([{ name: "s", ...joined }, "project"]);
  });

  test("[threat T12] reads only the user's part of a server if project files are off", async () => {
    const { discover } = await homeWith(FILES);
    const { servers } = await discover({ hosts: ["crush"], project: false });
    expect(servers).toMatchObject([
      { name: "d", args: ["x"], env: { A: "1" }, tools: { exclude: ["mv"] }, definedIn: { scope: "user" } },
      { name: "off", enabled: false },
    ]);
  });
});

describe("Gemini CLI", () => {
  test("orders the administrator's, the project's, the user's and extension servers", async () => {
    const layer = (command: string) => ({ mcpServers: { s: { command }, [command]: { command } } });
    const { discover, home } = await homeWith({
      "system.json": layer("system"),
      "work/.gemini/settings.json": layer("project"),
      ".gemini/settings.json": { ...layer("user"), mcp: { excluded: ["project"] } },
      ".gemini/extensions/e/gemini-extension.json": layer("extension"),
      ".gemini/mcp-server-enablement.json": { user: { enabled: false } },
    });
    const env = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(home, "system.json") };
    const { servers } = await discover({ hosts: ["gemini"], env });
    const facts = servers.map(({ name, definedIn, disabledBy }) => [name, definedIn.scope, disabledBy]);
    expect(facts).toEqual([
      ["s", "managed", undefined],
      ["system", "managed", undefined],
      ["project", "project", "mcp.excluded"],
      ["user", "user", "mcp-server-enablement.json"],
      ["extension", "extension", undefined],
    ]);
    expect(servers.at(-1)?.definedIn.root).toBe(join(home, ".gemini/extensions/e"));
  });
});
