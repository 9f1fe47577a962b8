import { chmod, mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ConfigDiagnostic } from "../../src/diagnostic-codes.ts";
import { createReadOnce, readHostFiles } from "../../src/discovery/host-files.ts";
import { dialectOf } from "../../src/hosts/host-dialects.ts";
import { type ParsedHostText, parseHostText } from "../../src/sources/host-document.ts";
import { readHostServersSafely } from "../../src/sources/host-servers.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";

const homeWith = useHomeFolder();

/** What becomes of the servers in a host's files, given as text or value by kind, each in `/etc/<kind>`. */
async function read(host: string, files: { readonly [kind: string]: unknown }) {
  const dialect = dialectOf(host);
  if (!dialect) throw new Error(host);
  const told: ConfigDiagnostic[] = [];
  const report = (diagnostic: ConfigDiagnostic) => told.push(diagnostic);
  const documents: ParsedHostText[] = [];
  const problems: string[] = [];
  for (const [kind, content] of Object.entries(files)) {
    const file = dialect.files.find((known) => known.kind === kind);
    const { scope = "user", servers = dialect.servers } = file ?? {};
    const text = typeof content === "string" ? content : JSON.stringify(content);
    const source = { file: `/etc/${kind}`, kind, scope, text, servers, dialect, host };
    const { document, problem } = await parseHostText({ ...source, format: dialect.format }, report);
    if (document) documents.push(document);
    if (problem) problems.push(problem.kind);
  }
  const context = { folders: ["/p"], isStandaloneFile: false, platform: "linux", remark: () => {} } as const;
  const { entries } = readHostServersSafely(
    { dialect, documents, isExclusive: false, isTrusted: false },
    context,
    report,
  );
  const off = Object.fromEntries(
    entries.map(({ name, outcome }) => [
      name,
      "definition" in outcome ? outcome.definition.disabledBy : "error",
    ]),
  );
  const faults = told.filter(({ code }) => code === "invalid-field").map(({ pointer }) => pointer);
  return { off, problems, faults, told };
}

const MINE = { mcpServers: { a: { command: "a" } } };
const A_IS_ON = { a: undefined };

describe("an administrator's settings for Claude Code", () => {
  const settings = (content: unknown, others: object = {}) =>
    read("claude-code", { user: MINE, "managed-settings": content, ...others });

  test.each(['{ "allowedMcpServers": [], } }', "[]", "", " \n"])(
    "that are broken let nothing through: %s",
    async (text) => {
      const { off, problems, told } = await settings(text);
      expect(off).toEqual({ a: "/etc/managed-settings" });
      expect(problems).toHaveLength(1);
      expect(told).toMatchObject([{ code: "disabled-by-host", server: "a" }]);
    },
  );

  test.each([
    ["allowedMcpServers", { serverName: "a" }],
    ["deniedMcpServers", "a"],
    ["disabledMcpServers", { a: true }],
    ["enabledPlugins", ["p@m"]],
  ])("with %s of another kind let nothing through, and are told of once", async (list, value) => {
    const { off, faults } = await settings({ [list]: value });
    expect(off).toEqual({ a: list });
    expect(faults).toEqual([`/${list}`]);
  });

  test("lose a line that cannot be read, and no other", async () => {
    const lines = [{ serverName: "a", serverUrl: "*" }, { serverName: "b" }];
    const { off, faults } = await settings(
      { deniedMcpServers: lines },
      { user: { mcpServers: { a: { command: "a" }, b: { command: "b" } } } },
    );
    expect(off).toEqual({ a: undefined, b: "deniedMcpServers" });
    expect(faults).toEqual(["/deniedMcpServers/0"]);
  });
});

test.each<[string, string]>([
  ["claude-code", ".claude/settings.json"],
  ["claude-code", ".claude/plugins/installed_plugins.json"],
  ["claude-code", "work/.claude/settings.json"],
  ["claude-code", "work/.claude/settings.local.json"],
  ["gemini", ".gemini/mcp-server-enablement.json"],
  ["gemini", "work/.gemini/settings.json"],
])("an empty file of %s that decides on no trust is no fault: %s", async (host, path) => {
  for (const text of ["", " \n"]) {
    const { discover } = await homeWith({
      ".claude.json": MINE,
      ".gemini/settings.json": MINE,
      [path]: text,
    });
    const { servers, problems, diagnostics } = await discover({ hosts: [host] });
    expect(servers.map(({ name, disabledBy }) => [name, disabledBy])).toEqual([["a", undefined]]);
    expect([problems, diagnostics.map(({ code }) => code)]).toEqual([[], ["empty-file"]]);
  }
});

test("a user's own list for Claude Code that is none is left out and told of", async () => {
  const own = { ...MINE, projects: { "/p": { disabledMcpServers: "a" } } };
  const { off, faults } = await read("claude-code", {
    user: own,
    "user-settings": { allowedMcpServers: {}, enabledPlugins: [] },
  });
  expect(off).toEqual(A_IS_ON);
  expect(faults).toEqual(["/projects/~1p/disabledMcpServers", "/enabledPlugins", "/allowedMcpServers"]);
});

test("a switch of a plugin that cannot be read switches it off", async () => {
  const { faults } = await read("claude-code", {
    user: MINE,
    "user-settings": { enabledPlugins: { "p@m": "no", "q@m": ["1.0"] } },
  });
  expect(faults).toEqual(["/enabledPlugins/p@m"]);
});

describe("an administrator's files for Codex", () => {
  const user = '[mcp_servers.a]\ncommand = "a"\n';

  test.each(["requirements", "managed"])("that are broken let nothing through: %s", async (kind) => {
    const { off, problems } = await read("codex", { user, [kind]: "[mcp_servers]\n]" });
    expect(off).toEqual({ a: `/etc/${kind}` });
    expect(problems).toEqual(["ConfigSyntaxError"]);
  });

  test("may be empty, as TOML may be", async () => {
    const { off, problems } = await read("codex", { user, requirements: "", managed: "# nothing\n" });
    expect([off, problems]).toEqual([A_IS_ON, []]);
  });
});

describe("an administrator's settings for Gemini CLI", () => {
  const settings = (content: unknown) => read("gemini", { system: content, user: MINE });

  test.each<[string, unknown, string, string]>([
    ["a switch", { admin: { mcp: { enabled: "false" } } }, "admin.mcp.enabled", "/admin/mcp/enabled"],
    ["what has a switch", { admin: { mcp: false } }, "admin.mcp", "/admin/mcp"],
    ["a list", { mcp: { excluded: "a" } }, "mcp.excluded", "/mcp/excluded"],
    ["what has lists", { mcp: "a" }, "mcp", "/mcp"],
    [
      "the switch of trust",
      { security: { folderTrust: { enabled: "true" } } },
      "security.folderTrust.enabled",
      "/security/folderTrust/enabled",
    ],
    [
      "what has the switch of trust",
      { security: { folderTrust: true } },
      "security.folderTrust",
      "/security/folderTrust",
    ],
  ])("with %s that cannot be read let nothing through", async (_what, content, by, pointer) => {
    const { off, faults } = await settings(content);
    expect(off).toEqual({ a: by });
    expect(faults).toEqual([pointer]);
  });

  test.each(['{ "admin": { "mcp": { "enabled": false } }', "", "// nothing\n"])(
    "that are broken let nothing through: %s",
    async (text) => {
      const { off, told, problems } = await settings(text);
      expect(off).toEqual({ a: "/etc/system" });
      expect(told).toMatchObject([{ code: "disabled-by-host" }]);
      expect(problems).toEqual(["ConfigSyntaxError"]);
    },
  );

  test("do not switch on what another file switches off", async () => {
    const admin = (enabled: boolean) => ({ admin: { mcp: { enabled } } });
    const { off } = await read("gemini", { system: admin(true), user: { ...MINE, ...admin(false) } });
    expect(off).toEqual({ a: "admin.mcp.enabled" });
  });

  test("are found where they are", async () => {
    const { home, discover } = await homeWith({
      ".gemini/settings.json": MINE,
      "system.json": "{",
    });
    const env = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(home, "system.json") };
    const { servers, problems } = await discover({ hosts: ["gemini"], env });
    expect(servers).toMatchObject([{ name: "a", enabled: false, disabledBy: join(home, "system.json") }]);
    expect(problems).toMatchObject([{ kind: "ConfigSyntaxError" }]);
  });
});

test.each(["{", "[]", ""])(
  "an administrator's settings for Amp that are broken let nothing through: %s",
  async (managed) => {
    const { off, problems, told } = await read("amp", {
      user: { "amp.mcpServers": MINE.mcpServers },
      managed,
    });
    expect(off).toEqual({ a: "/etc/managed" });
    expect(problems).toHaveLength(1);
    expect(told).toMatchObject([{ code: "disabled-by-host", server: "a" }]);
  },
);

describe("an administrator's file that is there and cannot be used lets nothing through", () => {
  const NO_UTF_8 = Buffer.from([0x7b, 0xff, 0x7d]);

  type Spoiling = [string, string, (file: string) => Promise<unknown>];
  const byEverybody: Spoiling = [
    "can be written by everybody",
    "ConfigReadError",
    (file) => chmod(file, 0o666),
  ];

  test.each<Spoiling>([
    ["is too large", "ConfigTooLargeError", (file) => truncate(file, 16 * 1024 * 1024 + 1)],
    ["is not UTF-8", "ConfigEncodingError", (file) => writeFile(file, NO_UTF_8)],
    ["is a folder", "ConfigReadError", (file) => rm(file).then(() => mkdir(file))],
    // Windows has no such permissions.
    ...(process.platform === "win32" ? [] : [byEverybody]),
  ])("where it %s", async (_what, kind, spoil) => {
    const { home, discover } = await homeWith({ ".gemini/settings.json": MINE, "system.json": {} });
    const file = join(home, "system.json");
    const discovered = () => discover({ hosts: ["gemini"], env: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: file } });
    const [server] = (await discovered()).servers;
    expect(server?.disabledBy).toBeUndefined();
    await spoil(file);
    const { servers, problems, diagnostics } = await discovered();
    expect(servers).toMatchObject([{ name: "a", enabled: false, disabledBy: file }]);
    expect(problems).toMatchObject([{ kind }]);
    expect(diagnostics).toMatchObject([{ code: "disabled-by-host", server: "a" }]);
  });

  test.each([
    ["claude-code", "managed-settings", ".claude.json", MINE],
    ["codex", "requirements", ".codex/config.toml", '[mcp_servers.a]\ncommand = "a"\n'],
    ["amp", "managed", ".config/amp/settings.json", { "amp.mcpServers": MINE.mcpServers }],
  ])("whatever the host: %s", async (host, kind, path, content) => {
    const { home, project } = await homeWith({ [path]: content });
    const policy = join(home, "policy");
    await writeFile(policy, NO_UTF_8);
    const dialect = dialectOf(host);
    if (!dialect) throw new Error(host);
    // An administrator's own folder is not the tests' to write into.
    const pathsOf = (known: string) => () => (known === kind ? [{ file: policy }] : []);
    const files = dialect.files.map((file) =>
      file.scope === "managed" ? { ...file, paths: pathsOf(file.kind) } : file,
    );
    const at = { home, cwd: project, projectTop: project, env: {}, platform: "linux" } as const;
    const read = createReadOnce(() => {});
    const found = await readHostFiles({ ...dialect, files }, at, read, () => {});
    expect(found.problems.map((problem) => problem.kind)).toEqual(["ConfigEncodingError"]);
    const context = {
      folders: [project],
      isStandaloneFile: false,
      platform: "linux",
      remark: () => {},
    } as const;
    const { entries } = readHostServersSafely(found, context, () => {});
    expect(entries).toMatchObject([{ name: "a", outcome: { definition: { disabledBy: policy } } }]);
  });

  test("and a user's own file that cannot be used switches nothing off", async () => {
    const { home, discover } = await homeWith({ ".gemini/settings.json": MINE });
    await writeFile(join(home, ".gemini/mcp-server-enablement.json"), NO_UTF_8);
    const { servers, problems } = await discover({ hosts: ["gemini"] });
    expect(servers.map(({ name, disabledBy }) => [name, disabledBy])).toEqual([["a", undefined]]);
    expect(problems).toMatchObject([{ kind: "ConfigEncodingError" }]);
  });
});

test("of a user's own list for Gemini CLI what cannot be read is left out", async () => {
  const user = { ...MINE, mcp: { excluded: [1, "b"], allowed: "a" } };
  const { off, faults } = await read("gemini", { user });
  expect(off).toEqual(A_IS_ON);
  expect(faults).toEqual(["/mcp/allowed", "/mcp/excluded/0"]);
});

test("a state of a server in Gemini CLI that cannot be read switches it off", async () => {
  const servers = { a: { command: "a" }, b: { command: "b" }, c: { command: "c" }, mcp: { command: "d" } };
  const enablement = { a: { enabled: "false" }, b: false, c: {}, mcp: { enabled: false } };
  const { off, faults } = await read("gemini", { user: { mcpServers: servers }, enablement });
  const by = "mcp-server-enablement.json";
  expect(off).toEqual({ a: by, b: by, c: undefined, mcp: by });
  expect(faults).toEqual(["/a", "/b"]);
});

test("a switch of Gemini CLI's folder trust that is none of an administrator's is told of and counts as on", async () => {
  const { off, faults } = await read("gemini", {
    user: { ...MINE, security: { folderTrust: { enabled: "no" } } },
    project: { security: { folderTrust: { enabled: "no" } } },
  });
  expect(off).toEqual(A_IS_ON);
  expect(faults).toEqual(["/security/folderTrust/enabled"]);
});
