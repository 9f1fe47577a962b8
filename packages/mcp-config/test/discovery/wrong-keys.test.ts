import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import type { FindingContext, HostFile } from "../../src/hosts/host-dialect.ts";
import { HOST_DIALECTS } from "../../src/hosts/host-dialects.ts";
import { useHomeFolder } from "./home-folder.ts";
import { parse } from "./parsing.ts";

const homeWith = useHomeFolder();
const CLAUDE = { hosts: ["claude-code"] };
const mine = { mine: { command: "mine" } };
const its = { its: { command: "its" } };

/** The servers and diagnostics of Claude Code's user file, which has the user's servers and those of each project. */
async function readClaudeFile(content: object | string, record?: object) {
  const { write, project, discover } = await homeWith();
  await write(".claude.json", record ? { ...Object(content), projects: { [project]: record } } : content);
  const { servers, diagnostics } = await discover(CLAUDE);
  return [
    servers.map(({ name, definedIn: { scope } }) => `${name}: ${scope}`),
    diagnostics.map(({ code, pointer }) => `${code}: ${pointer}`),
  ];
}

describe("a file with servers in two places", () => {
  test.each<[string, object, object | undefined, string[]]>([
    ["only the user's", { mcpServers: mine }, undefined, ["mine: user"]],
    ["the user's, beside a project without any", { mcpServers: mine }, {}, ["mine: user"]],
    ["only the project's", {}, { mcpServers: its }, ["its: local"]],
    ["both", { mcpServers: mine }, { mcpServers: its }, ["its: local", "mine: user"]],
  ])("gets no diagnostics about its keys: %s", async (_what, content, record, found) => {
    expect(await readClaudeFile(content, record)).toEqual([found, []]);
  });

  test("is reported once as having no servers", async () => {
    expect(await readClaudeFile({}, {})).toEqual([[], ["no-servers: "]]);
  });

  test("is reported once for each repeated key", async () => {
    const text =
      '{"numStartups": 1,\n"numStartups": 2,\n"mcpServers": {"mine": {"command": "mine", "command": "x"}}}';
    const repeated = ["duplicate-key: /numStartups", "duplicate-key: /mcpServers/mine/command"];
    expect(await readClaudeFile(text)).toEqual([["mine: user"], repeated]);
  });

  test("is reported once for another host's root key, whatever its projects have", async () => {
    const wrong = ["wrong-root-key: /servers"];
    expect(await readClaudeFile({ servers: mine })).toEqual([[], wrong]);
    expect(await readClaudeFile({ servers: mine }, { mcpServers: its })).toEqual([["its: local"], wrong]);
  });
});

describe("servers under a wrong root key", () => {
  const other = { other: { command: "other" } };

  test.each<[string, string, string]>([
    ["claude-code", "mcpServers", "servers"],
    ["claude-code", "mcpServers", "mcp_servers"],
    ["codex", "mcp_servers", "mcpServers"],
    ["vscode", "servers", "mcpServers"],
    ["zed", "context_servers", "mcpServers"],
  ])("are reported although others are valid: %s, %s beside %s", async (host, right, wrong) => {
    const file = host === "codex" ? "/folder/config.json" : "/folder/own.json";
    const { names, diagnostics } = await parse({ [right]: mine, [wrong]: other }, { host, file });
    expect(names).toEqual(["mine"]);
    expect(diagnostics).toMatchObject([{ code: "wrong-root-key", severity: "warning", suggestion: right }]);
    expect(diagnostics[0]?.message).toContain("Move them there.");
  });

  test.each<[string, object, object]>([
    ["crush", { mcp: {} }, { mcpServers: other }],
    ["opencode", { mcp: { a: { type: "local", command: ["x"] } } }, { mcpServers: other }],
    ["goose", { extensions: {} }, { mcpServers: other }],
    ["amp", { "amp.mcpServers": {} }, { mcpServers: other }],
    ["continue", { mcpServers: [] }, { servers: other }],
    [
      "continue",
      { mcpServers: [{ name: "mine", command: "x" }] },
      { servers: [{ name: "b", command: "x" }] },
    ],
    ["claude-code", { mcpServers: mine }, { servers: [{ command: "x" }] }],
    ["zed", { context_servers: {} }, { mcpServers: other }],
  ])("are reported beside the host's own key, whatever that holds: %s, %j", async (host, right, wrong) => {
    const { told } = await parse({ ...right, ...wrong }, { host, file: "/folder/own.yaml" });
    expect(told).toEqual(["wrong-root-key"]);
  });

  test.each<[string, object]>([
    ["crush", { mcp: mine, mcpServers: mine }],
    ["amp", { "amp.mcpServers": mine, mcp: { servers: mine }, extensions: mine }],
    ["goose", { extensions: {}, mcpServers: { a: true }, servers: ["x"] }],
    ["gemini", { mcpServers: {}, mcp: { allowed: ["x"] } }],
    ["vscode", { mcp: { servers: {} }, "amp.mcpServers": mine }],
  ])("are not reported where another host may keep its own: %s, %j", async (host, content) => {
    const { told } = await parse(content, { host, file: "/folder/own.json" });
    expect(told.filter((code) => code === "wrong-root-key")).toEqual([]);
  });

  test.each<[string, string, object]>([
    ["with the same names, for another host that reads the file", "servers", mine],
    ["that are not valid entries", "servers", { other: "x" }],
    ["under a key that means something else", "mcp", { ...mine, allowed: ["x"] }],
  ])("are not reported: %s", async (_what, key, value) => {
    const { names, told } = await parse({ mcpServers: mine, [key]: value });
    expect([names, told]).toEqual([["mine"], []]);
  });
});

describe("a server that its host does not read is told by name", () => {
  const stray = { command: "npx", args: ["-y", "pkg@1.0.0"] };
  const remote = { type: "http", url: "https://mcp.example.com/mcp" };
  const hosts = HOST_DIALECTS.flatMap(({ id, servers }) => {
    const sections = servers(
      {},
      { folders: [], isStandaloneFile: true, platform: "linux", remark: () => {} },
    );
    const [section] = sections.filter(({ path, name }) => path.length > 0 && name === undefined);
    return section === undefined ? [] : { id, path: section.path.map(String), isList: !!section.nameField };
  });
  const FILE: { readonly [host: string]: string } = { continue: "config.json", goose: "config.json" };

  /** What is told of a file in which the servers stand in a value made from their place. */
  async function messagesOf(host: (typeof hosts)[number], content: object, file = FILE[host.id]) {
    const { diagnostics } = await parse(content, { host: host.id, file: `/folder/${file ?? "mcp.json"}` });
    return diagnostics.filter(({ severity }) => severity !== "info").map(({ message }) => message);
  }

  const under = (path: readonly string[], value: unknown) =>
    path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
  const ok = ({ isList }: (typeof hosts)[number]) => (isList ? [] : {});

  test.each(hosts)("beside the key: $id", async (host) => {
    for (const server of [stray, remote]) {
      const messages = await messagesOf(host, { ...under(host.path, ok(host)), stray: server });
      expect(messages.filter((message) => message.includes('"stray"'))).toHaveLength(1);
    }
  });

  test.each(hosts)("one level too deep: $id", async (host) => {
    if (host.isList) return;
    for (const group of ["group", "mcpServers"]) {
      const messages = await messagesOf(host, under(host.path, { [group]: { first: stray, second: stray } }));
      expect(messages.filter((message) => message.includes('"first" and "second"'))).toHaveLength(1);
    }
  });

  test.each(hosts)("under another key: $id", async (host) => {
    const keys = ["mcpServers", "mcp_servers", "servers", "mcp-servers", "MCP", "myMcp"];
    for (const key of keys.filter((name) => name !== host.path[0])) {
      const messages = await messagesOf(host, { ...under(host.path, ok(host)), [key]: { stray } });
      expect([key, messages.filter((message) => message.includes('"stray"')).length]).toEqual([key, 1]);
    }
  });

  test.each(hosts)("under a key that is itself under another one: $id", async (host) => {
    const messages = await messagesOf(host, { config: under(host.path.slice(-1), { stray }) });
    expect(messages.filter((message) => message.includes('"stray"'))).toHaveLength(1);
  });

  test.each(hosts)("in a list in place of a map, or without a name: $id", async (host) => {
    if (host.isList) return;
    const inList = await messagesOf(host, under(host.path, [{ name: "stray", ...stray }]));
    expect(inList.filter((message) => message.includes('"stray" is lost'))).toHaveLength(1);
    const unnamed = await messagesOf(host, under(host.path, stray));
    expect(unnamed.filter((message) => message.includes("a server without a name"))).toHaveLength(1);
    const whole = await messagesOf(host, stray);
    expect(whole.filter((message) => message.includes("a server without a name"))).toHaveLength(1);
  });

  test.each(["/folder/mcp.json", "/project/.mcp.json"])(
    "under any key, in a file of servers: %s",
    async (file) => {
      for (const host of ["jackfield", "claude-code", "cursor"]) {
        const { diagnostics } = await parse({ mcpServers: {}, team: { stray } }, { host, file });
        expect(diagnostics.map(({ code, message }) => [code, message.includes('"stray" is lost')])).toEqual([
          ["wrong-root-key", true],
        ]);
      }
    },
  );

  test("and of many, five by name", async () => {
    const many = Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((name) => [name, stray]));
    const { diagnostics } = await parse({ mcpServers: {}, servers: many });
    expect(diagnostics[0]?.message).toContain('so "a", "b", "c", "d", "e" and 2 more are lost');
  });

  test.each<[string, string, object]>([
    ["opencode", "opencode.json", { enterprise: { url: "https://x" }, formatter: { a: { command: ["x"] } } }],
    ["crush", "crush.json", { lsp: { go: { command: "gopls" } }, options: {} }],
    ["zed", "settings.json", { agent_servers: { a: stray }, lsp: { b: { command: "x" } } }],
    [
      "claude-plugin",
      "plugin.json",
      { author: { name: "x", url: "https://x" }, repository: { url: "https://x" } },
    ],
    [
      "gemini",
      "settings.json",
      { telemetry: { target: "local" }, hooks: { a: [stray] }, theme: { type: "x" } },
    ],
    ["claude-code", "own.json", { statusLine: { type: "command", command: "x" }, projects: { "/x": stray } }],
  ])("but nothing else of %s is taken for one", async (host, file, content) => {
    const path = hosts.find(({ id }) => id === host)?.path ?? ["mcpServers"];
    const { told } = await parse({ ...under(path, {}), ...content }, { host, file: `/folder/${file}` });
    expect(told.filter((code) => code === "wrong-root-key")).toEqual([]);
  });

  test("in Claude Code's settings, which hold none", async () => {
    const { home, write, discover } = await homeWith({
      ".claude/settings.json": { mcpServers: { stray }, statusLine: { type: "command", command: "x" } },
      "work/.claude/settings.local.json": { mcpServers: { other: stray } },
    });
    await write(".claude.json", { mcpServers: mine });
    const { servers, diagnostics } = await discover({ hosts: ["claude-code"] });
    expect(servers.map(({ name }) => name)).toEqual(["mine"]);
    const lost = diagnostics.filter(({ code }) => code === "wrong-root-key");
    expect(lost.map(({ file, severity }) => [file, severity])).toEqual([
      [join(home, "work/.claude/settings.local.json"), "warning"],
      [join(home, ".claude/settings.json"), "warning"],
    ]);
    expect(lost[1]?.message).toContain('Claude Code reads no servers from this file, so "stray" is lost.');
  });
});

describe("another host's root key in a format for a single server", () => {
  const bundle = { name: "x", server: { type: "node", mcp_config: { command: "node" } } };
  const option = { registryType: "npm", identifier: "y", version: "1.0.0", transport: { type: "stdio" } };

  test.each<[string, object]>([
    ["mcpb", { ...bundle, mcpServers: { x: { command: "node" }, y: { command: "z" } } }],
    ["mcpb", { ...bundle, servers: mine }],
    ["registry", { name: "io.x/y", packages: [option], servers: [{ type: "http", url: "https://h" }] }],
    ["registry", { name: "io.x/y", packages: [option], mcpServers: mine }],
    ["registry", { name: "io.x/y", remotes: [{ type: "sse", url: "https://h" }], mcpServers: mine }],
  ])("is not reported beside that server: %s, %j", async (host, content) => {
    const { names, told } = await parse(content, { host, file: "/folder/own.json" });
    expect([names.length, told]).toEqual([1, []]);
  });

  test.each([
    ["mcpb", { mcpServers: mine }],
    ["registry", { servers: [{ type: "http", url: "https://h" }] }],
  ])("does not count as the server, which is reported as missing: %s, %j", async (host, content) => {
    const { names, told } = await parse({ name: "x", ...content }, { host, file: "/folder/own.json" });
    expect([names, told]).toEqual([[], ["no-servers"]]);
  });

  test.each([
    ["mcpb", "Server", "server", {}],
    ["registry", "remote", "remotes", { packages: [option] }],
  ])(
    "a misspelled key of its own format gets a suggestion: %s, %s",
    async (host, key, suggestion, content) => {
      const { diagnostics } = await parse(
        { name: "x", ...content, [key]: [] },
        { host, file: "/folder/own.json" },
      );
      expect(diagnostics).toMatchObject([{ code: "near-miss-field", suggestion }]);
      expect(diagnostics[0]?.message).toMatch(/is not read; did you mean "\w+"\?$/);
    },
  );
});

describe("a file with servers under its host's own key", () => {
  const context: FindingContext = {
    folders: [],
    isStandaloneFile: false,
    platform: "linux",
    remark: () => {},
  };
  /** Leaves out managed files and files named by a variable, which are outside the home folder. */
  const pathsIn = (home: string, file: HostFile) => {
    const cwd = join(home, "work");
    const at = { platform: "linux", env: {}, home, cwd, projectTop: cwd } as const;
    const paths = file.paths(at).map((path) => relative(home, path.file));
    return paths.filter((path) => !path.startsWith(".."));
  };
  const kinds = HOST_DIALECTS.flatMap((host) =>
    host.files.flatMap((file) => {
      const find = file.servers ?? host.servers;
      const [place] = find === "none" || file.script !== undefined ? [] : find({ mcpServers: {} }, context);
      if (place === undefined || pathsIn("/home", file).length === 0) return [];
      return [{ host: host.id, kind: file.kind, file, path: place.path.map(String) }];
    }),
  );

  test.each(kinds)("gets no diagnostics about its keys: $host, $kind", async ({ host, file, path }) => {
    const { home, write, discover } = await homeWith();
    for (const name of pathsIn(home, file)) {
      const existing = name.replace(/[*]$/, "a.yaml").replace("*", "a");
      await write(existing, contentOf(path, existing));
    }
    const { diagnostics } = await discover({ hosts: [host] });
    const remarks = ["wrong-root-key", "near-miss-field", "no-servers"];
    const ofKeys = diagnostics.filter(({ code, server }) => server === undefined && remarks.includes(code));
    expect(ofKeys).toEqual([]);
  });

  function contentOf(path: readonly string[], file: string): unknown {
    if (file.endsWith(".toml")) return `[${path.join(".")}.a]\ncommand = "a"\n`;
    const field = path.includes("extensions") ? "cmd" : "command";
    const servers: unknown = { a: { type: "stdio", [field]: "a" } };
    return path.reduceRight((inner, key) => ({ [key]: inner }), servers);
  }
});

test.each([
  ["continue", "config.yaml", "mcpServers:\n  # - name: a\n  #   command: x\n"],
  ["goose", "config.yaml", "extensions:\nGOOSE_MODE: auto\n"],
  ["jackfield", "mcp.json", '{ "mcpServers": null }'],
])("a key without a value, whose servers were removed, loses nothing: %s", async (host, name, text) => {
  const { names, diagnostics } = await parse(text, { host, file: `/folder/${name}` });
  expect(names).toEqual([]);
  expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
    ["no-servers", host === "jackfield" ? "warning" : "info"],
  ]);
});

test.each<[object, string]>([
  [{ projects: { "/work": { mcpServers: { a: { command: "x" } } } } }, "projects./work.mcpServers"],
  [{ settings: { mcp: { servers: { a: { command: "x" } } } } }, "settings.mcp.servers"],
])("servers further down are told by name in Jackfield's own files: %j", async (content, place) => {
  const { diagnostics } = await parse(content, { host: "jackfield" });
  expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["wrong-root-key", "error"]]);
  expect(diagnostics[0]?.message).toContain(`"${place}" is not read, so "a" is lost`);
});

test.each([
  ["claude-code", ".claude/mcp.json", "~/.claude.json"],
  ["claude-code", ".claude/claude_desktop_config.json", "~/.claude.json"],
  ["claude-code", "work/.claude/.mcp.json", "~/work/.mcp.json"],
  ["kiro", ".kiro/mcp.json", "~/.kiro/settings/mcp.json"],
  ["kiro", "work/.kiro/mcp.json", "~/work/.kiro/settings/mcp.json"],
  ["cursor", ".config/Cursor/User/mcp.json", "~/.cursor/mcp.json"],
  ["cursor", "work/.cursor/settings.json", "~/work/.cursor/mcp.json"],
  ["windsurf", ".windsurf/mcp_config.json", "~/.codeium/windsurf/mcp_config.json"],
  ["gemini", "work/.gemini/mcp.json", "~/work/.gemini/settings.json"],
  ["codex", ".codex/mcp.json", "~/.codex/config.toml"],
  ["copilot-cli", ".copilot/mcp.json", "~/.copilot/mcp-config.json"],
  ["cline", ".cline/mcp.json", "~/.cline/data/settings/cline_mcp_settings.json"],
  ["zed", ".zed/settings.json", "~/.config/zed/settings.json"],
  ["jackfield", ".jackfield/mcp.json", "~/.config/jackfield/mcp.json"],
  ["jackfield", ".config/mcp/mcp.json", "~/.config/jackfield/mcp.json"],
  ["jackfield", ".mcp.json", "~/.config/jackfield/mcp.json"],
  ["jackfield", "work/mcp.json", "~/work/.mcp.json"],
])("servers where many put them and no host reads them are told: %s, %s", async (host, path, right) => {
  const { home, discover } = await homeWith({ [path]: { mcpServers: { a: { command: "x" } } } });
  const { servers, diagnostics } = await discover({ hosts: [host], remarks: true });
  expect(servers).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: "wrong-root-key", file: `${home}/${path}`, line: 1 }]);
  expect(diagnostics[0]?.message).toContain(`so "a" is lost. Move them to ${right.replace("~", home)}.`);
});

describe("in Jackfield's own files", () => {
  const OWN = { host: "jackfield", file: "/project/.mcp.json" };

  test.each([
    ["disabledMcpjsonServers", ["a"], "warning"],
    ["disabledServers", ["a"], "warning"],
    ["allowedTools", ["x"], "warning"],
    ["tools", { "a_*": false }, "warning"],
  ])("a list beside the servers that was to switch something is told: %s", async (key, value, severity) => {
    const { names, diagnostics } = await parse(
      {
        $schema: "x",
        _note: "x",
        description: "x",
        settings: { theme: "dark" },
        inputs: [],
        mcpServers: mine,
        [key]: value,
      },
      OWN,
    );
    expect(names).toEqual(["mine"]);
    expect(diagnostics).toMatchObject([{ code: "unknown-field", severity, pointer: `/${key}` }]);
  });

  test.each([
    { command: "x", lost: { command: "y" } },
    { type: "http", url: "https://a.example", lost: { type: "http", url: "https://b.example" } },
  ])("a server inside another one's entry is told by name: %j", async (entry) => {
    const { diagnostics } = await parse({ mcpServers: { a: entry } }, OWN);
    expect(diagnostics).toMatchObject([{ code: "wrong-root-key", severity: "warning", server: "a" }]);
    expect(diagnostics[0]?.message).toContain('"lost" looks like a server');
  });

  test("servers in a list of maps are told by name", async () => {
    const { diagnostics } = await parse({ mcpServers: [{ lost: { command: "x" } }] }, OWN);
    expect(diagnostics[0]?.message).toContain('so "lost" is lost');
  });
});
