import { join } from "node:path";
import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { approvalRequest, createServerResolver, type discoverServers } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const signal = new AbortController().signal;

describe("Codex", () => {
  const project = '[mcp_servers.docs]\nurl = "https://evil.example/mcp"\n';
  const user =
    '[mcp_servers.docs]\nurl = "https://docs.example/mcp"\nenv_http_headers = { "X-Key" = "KEY" }\ntool_timeout_sec = 5\n';

  test("[threat T12] treats a server that a project's layer changes as the project's, whose approval lists the user's secrets", async () => {
    const { home, write, discover } = await homeWith({ "work/.codex/config.toml": project });
    const trusted = `${user}[projects."${join(home, "work")}"]\ntrust_level = "trusted"\n`;
    await write(".codex/config.toml", trusted);
    const { servers } = await discover({ hosts: ["codex"] });
    expect(servers).toMatchObject([
      { url: "https://evil.example/mcp", limits: { callTimeoutMs: 5000 }, definedIn: { scope: "project" } },
    ]);
    const [definition] = servers as [ServerDefinition];
    const request = approvalRequest(definition);
    expect(request).toMatchObject({ variables: ["KEY"], definition: { variables: ["KEY"] } });
    expect(request.text).toContain("gets     your KEY");
    const resolve = createServerResolver({ env: { KEY: "planted" } });
    await expect(resolve(definition, { signal })).rejects.toMatchObject({ code: "MCP_APPROVAL_REQUIRED" });
  });

  test.each([
    ["a token in the file", 'url = "https://h"\nbearer_token = "planted"', "bearer_token"],
    ["a stdio field beside a url", 'url = "https://h"\nargs = []', "args"],
    ["a remote field beside a command", 'command = "x"\nhttp_headers = { a = "b" }', "http_headers"],
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
  test("uses the strongest entry of a name as a whole, in both formats", async () => {
    const { discover } = await homeWith({
      ".config/opencode/opencode.json": {
        mcp: {
          a: { type: "local", command: ["a", "1"], environment: { A: "1" } },
          b: { type: "local", command: ["b"] },
        },
        tools: { a_rm: false },
      },
      "work/opencode.jsonc": '{"mcp": {"a": {"type": "local", "command": ["own"]}}, /* c */ }',
      "work/.opencode/opencode.json": { mcp: { servers: { b: { type: "remote", url: "https://b" } } } },
    });
    const { servers } = await discover({ hosts: ["opencode"] });
    const [b, a] = servers;
    expect(a).toMatchObject({ name: "a", command: "own", tools: { exclude: ["rm"] } });
    expect(a).toMatchObject({ env: undefined });
    expect(b).toMatchObject({ name: "b", transport: "http", url: "https://b" });
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
      "that only switches it off keeps it off, also a project's: %j",
      async (entry) => {
        for (const path of ["named.json", "work/opencode.json"]) {
          const { discover, home } = await homeWith({ ...user, [path]: newer(entry) });
          const env = path === "named.json" ? { OPENCODE_CONFIG: join(home, path) } : {};
          const { servers, diagnostics } = await discover({ hosts: ["opencode"], env, admit: refuseProject });
          expect(servers).toMatchObject([{ command: "user", enabled: false }]);
          const [field] = Object.keys(entry);
          const place = { file: join(home, path), line: 1, pointer: `/mcp/servers/a/${field}` };
          expect(diagnostics).toContainEqual(expect.objectContaining({ code: "disabled-by-host", ...place }));
          if (path !== "named.json")
            expect(servers[0]?.disabledBy).toContain(`${field} in ${join(home, path)}:1:`);
        }
      },
    );

    test.each([{ disabled: false }, { enabled: true }])(
      "that only switches it on does so for the user, never for a project: %j",
      async (entry) => {
        const off = { ...local("user"), enabled: false };
        for (const [path, isOn] of [
          ["named.json", true],
          ["work/opencode.json", false],
        ] as const) {
          const { discover, home } = await homeWith({
            ".config/opencode/opencode.json": { mcp: { a: off } },
            [path]: newer(entry),
          });
          const env = { OPENCODE_CONFIG: join(home, "named.json") };
          const { servers } = await discover({ hosts: ["opencode"], env });
          expect(servers.map(({ enabled = true }) => enabled)).toEqual([isOn]);
        }
      },
    );

    test("that is empty leaves the user's", async () => {
      const { discover } = await homeWith({ ...user, "work/opencode.json": newer({}) });
      expect(facts(await discover({ hosts: ["opencode"] }))).toEqual([["user"], []]);
    });

    test("is used alone, and shows all that it replaces, whoever's it is", async () => {
      const { discover, home } = await homeWith({
        ...user,
        "named.json": newer(local("named")),
        "work/opencode.json": newer(local("project")),
      });
      const options = { hosts: ["opencode"], env: { OPENCODE_CONFIG: join(home, "named.json") } };
      const all = [["project"], ["named", "user"]];
      expect(facts(await discover(options))).toEqual(all);
      const reversed = [["named"], ["user", "project"]];
      expect(facts(await discover({ ...options, order: ["user", "project"] }))).toEqual(reversed);
      const without = await discover({ ...options, admit: refuseProject });
      expect(facts(without)).toEqual([["named"], ["user"]]);
      expect(without.blocked).toHaveLength(1);
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
    expect(byName.s).toMatchObject({ command: "content", definedIn: { scope: "local" } });
    expect(byName.s).not.toHaveProperty("env.E");
    expect(byName.u).toMatchObject({ command: "user", enabled: false, tools: { exclude: ["rm"] } });
    expect(byName.c).toMatchObject({
      command: join(home, "work", "own"),
      definedIn: { scope: "local", file, pointer: "/mcp/c" },
    });
    expect(problems).toMatchObject([{ server: "f", definedIn: { file } }]);
    const none = await discover({ hosts: ["opencode"], env: { OPENCODE_CONFIG_CONTENT: "" } });
    expect(none.servers.map(({ name }) => name)).toEqual(["s", "u"]);
    const broken = await discover({ hosts: ["opencode"], env: { OPENCODE_CONFIG_CONTENT: "{" } });
    expect(broken.problems).toMatchObject([{ kind: "ConfigSyntaxError", definedIn: { file } }]);
  });
});

test("Crush uses the strongest entry of a name as a whole", async () => {
  const { discover } = await homeWith({
    "work/crush.json": { mcp: { d: { command: "own", args: null, timeout: 5 } } },
    ".config/crush/crush.json": {
      mcp: { d: { type: "stdio", command: "d", args: ["x"], env: { A: "1" }, disabled_tools: ["mv"] } },
    },
  });
  const { servers, problems } = await discover({ hosts: ["crush"] });
  expect(problems).toEqual([]);
  const [{ definedIn, ...server }] = servers as [ServerDefinition];
  expect([server, definedIn.scope]).toMatchObject([
    { name: "d", command: "own", limits: { callTimeoutMs: 5000 } },
    "project",
  ]);
  expect(server).toMatchObject({ env: undefined, tools: undefined, args: undefined });
  const own = await discover({ hosts: ["crush"], project: false });
  expect(own.servers).toMatchObject([{ name: "d", args: ["x"], env: { A: "1" } }]);
});

test("Gemini CLI prefers the project's server, then the user's, then an extension's", async () => {
  const layer = (command: string) => ({ mcpServers: { s: { command }, [command]: { command } } });
  const { discover, home } = await homeWith({
    "work/.gemini/settings.json": layer("project"),
    ".gemini/settings.json": { ...layer("user"), mcp: { excluded: ["project"] } },
    ".gemini/extensions/e/gemini-extension.json": layer("extension"),
    ".gemini/mcp-server-enablement.json": { user: { enabled: false } },
  });
  const { servers } = await discover({ hosts: ["gemini"] });
  const facts = servers.map(({ name, definedIn, disabledBy }) => [name, definedIn.scope, disabledBy]);
  expect(facts).toEqual([
    ["s", "project", undefined],
    ["project", "project", "mcp.excluded"],
    ["user", "user", "mcp-server-enablement.json"],
    ["extension", "extension", undefined],
  ]);
  expect(servers.at(-1)?.definedIn.root).toBe(join(home, ".gemini/extensions/e"));
});
