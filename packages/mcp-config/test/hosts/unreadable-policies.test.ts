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

/** Reads a host's files, given as text or value by kind, each at `/etc/<kind>`, and says which servers are off. */
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

describe("Claude Code managed settings", () => {
  const settings = (content: unknown, others: object = {}) =>
    read("claude-code", { user: MINE, "managed-settings": content, ...others });

  test.each(['{ "allowedMcpServers": [], } }', "[]", "", " \n"])(
    "disable every server if broken: %s",
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
  ])("disable every server if %s has the wrong type, and report it once", async (list, value) => {
    const { off, faults } = await settings({ [list]: value });
    expect(off).toEqual({ a: list });
    expect(faults).toEqual([`/${list}`]);
  });

  test("skip and report an unreadable line, and apply the others", async () => {
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
])("an empty %s file that does not decide on trust disables nothing: %s", async (host, path) => {
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

test("a user's Claude Code list of the wrong type is ignored and reported", async () => {
  const own = { ...MINE, projects: { "/p": { disabledMcpServers: "a" } } };
  const { off, faults } = await read("claude-code", {
    user: own,
    "user-settings": { allowedMcpServers: {}, enabledPlugins: [] },
  });
  expect(off).toEqual(A_IS_ON);
  expect(faults).toEqual(["/projects/~1p/disabledMcpServers", "/enabledPlugins", "/allowedMcpServers"]);
});

test("an unreadable enabledPlugins value for Claude Code is reported", async () => {
  const { faults } = await read("claude-code", {
    user: MINE,
    "user-settings": { enabledPlugins: { "p@m": "no", "q@m": ["1.0"] } },
  });
  expect(faults).toEqual(["/enabledPlugins/p@m"]);
});

describe("Codex managed files", () => {
  const user = '[mcp_servers.a]\ncommand = "a"\n';

  test.each(["requirements", "managed"])("disable every server if broken: %s", async (kind) => {
    const { off, problems } = await read("codex", { user, [kind]: "[mcp_servers]\n]" });
    expect(off).toEqual({ a: `/etc/${kind}` });
    expect(problems).toEqual(["ConfigSyntaxError"]);
  });

  test("may be empty and then disable nothing", async () => {
    const { off, problems } = await read("codex", { user, requirements: "", managed: "# nothing\n" });
    expect([off, problems]).toEqual([A_IS_ON, []]);
  });
});

describe("Gemini CLI system settings", () => {
  const settings = (content: unknown) => read("gemini", { system: content, user: MINE });

  test.each<[string, unknown, string, string]>([
    ["a switch", { admin: { mcp: { enabled: "false" } } }, "admin.mcp.enabled", "/admin/mcp/enabled"],
    ["the parent of a switch", { admin: { mcp: false } }, "admin.mcp", "/admin/mcp"],
    ["a list", { mcp: { excluded: "a" } }, "mcp.excluded", "/mcp/excluded"],
    ["the parent of lists", { mcp: "a" }, "mcp", "/mcp"],
    [
      "the folder trust switch",
      { security: { folderTrust: { enabled: "true" } } },
      "security.folderTrust.enabled",
      "/security/folderTrust/enabled",
    ],
    [
      "the parent of the folder trust switch",
      { security: { folderTrust: true } },
      "security.folderTrust",
      "/security/folderTrust",
    ],
  ])("disable every server if %s is unreadable", async (_what, content, by, pointer) => {
    const { off, faults } = await settings(content);
    expect(off).toEqual({ a: by });
    expect(faults).toEqual([pointer]);
  });

  test.each(['{ "admin": { "mcp": { "enabled": false } }', "", "// nothing\n"])(
    "disable every server if broken: %s",
    async (text) => {
      const { off, told, problems } = await settings(text);
      expect(off).toEqual({ a: "/etc/system" });
      expect(told).toMatchObject([{ code: "disabled-by-host" }]);
      expect(problems).toEqual(["ConfigSyntaxError"]);
    },
  );

  test("do not enable what another file disables", async () => {
    const admin = (enabled: boolean) => ({ admin: { mcp: { enabled } } });
    const { off } = await read("gemini", { system: admin(true), user: { ...MINE, ...admin(false) } });
    expect(off).toEqual({ a: "admin.mcp.enabled" });
  });

  test("disable every server if broken at GEMINI_CLI_SYSTEM_SETTINGS_PATH", async () => {
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

test.each(["{", "[]", ""])("broken Amp managed settings disable every server: %s", async (managed) => {
  const { off, problems, told } = await read("amp", {
    user: { "amp.mcpServers": MINE.mcpServers },
    managed,
  });
  expect(off).toEqual({ a: "/etc/managed" });
  expect(problems).toHaveLength(1);
  expect(told).toMatchObject([{ code: "disabled-by-host", server: "a" }]);
});

describe("an administrator's file that exists but cannot be used", () => {
  const NO_UTF_8 = Buffer.from([0x7b, 0xff, 0x7d]);

  type Spoiling = [string, string, (file: string) => Promise<unknown>];
  const byEverybody: Spoiling = ["is writable by everybody", "ConfigReadError", (file) => chmod(file, 0o666)];

  test.each<Spoiling>([
    ["is too large", "ConfigTooLargeError", (file) => truncate(file, 16 * 1024 * 1024 + 1)],
    ["is not UTF-8", "ConfigEncodingError", (file) => writeFile(file, NO_UTF_8)],
    ["is a folder", "ConfigReadError", (file) => rm(file).then(() => mkdir(file))],
    // Windows has no such permissions.
    ...(process.platform === "win32" ? [] : [byEverybody]),
  ])("disables every server if it %s", async (_what, kind, spoil) => {
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
  ])("disables every server of %s", async (host, kind, path, content) => {
    const { home, project } = await homeWith({ [path]: content });
    const policy = join(home, "policy");
    await writeFile(policy, NO_UTF_8);
    const dialect = dialectOf(host);
    if (!dialect) throw new Error(host);
    // The tests must not write to the administrator's real folder.
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

  test("disables nothing if it is the user's own", async () => {
    const { home, discover } = await homeWith({ ".gemini/settings.json": MINE });
    await writeFile(join(home, ".gemini/mcp-server-enablement.json"), NO_UTF_8);
    const { servers, problems } = await discover({ hosts: ["gemini"] });
    expect(servers.map(({ name, disabledBy }) => [name, disabledBy])).toEqual([["a", undefined]]);
    expect(problems).toMatchObject([{ kind: "ConfigEncodingError" }]);
  });
});

test("unreadable parts of a user's Gemini CLI lists are ignored and reported", async () => {
  const user = { ...MINE, mcp: { excluded: [1, "b"], allowed: "a" } };
  const { off, faults } = await read("gemini", { user });
  expect(off).toEqual(A_IS_ON);
  expect(faults).toEqual(["/mcp/allowed", "/mcp/excluded/0"]);
});

test("an unreadable Gemini CLI enablement state disables its server", async () => {
  const servers = { a: { command: "a" }, b: { command: "b" }, c: { command: "c" }, mcp: { command: "d" } };
  const enablement = { a: { enabled: "false" }, b: false, c: {}, mcp: { enabled: false } };
  const { off, faults } = await read("gemini", { user: { mcpServers: servers }, enablement });
  const by = "mcp-server-enablement.json";
  expect(off).toEqual({ a: by, b: by, c: undefined, mcp: by });
  expect(faults).toEqual(["/a", "/b"]);
});

test("a user's unreadable folder trust switch for Gemini CLI is reported and disables no user server", async () => {
  const { off, faults } = await read("gemini", {
    user: { ...MINE, security: { folderTrust: { enabled: "no" } } },
    project: { security: { folderTrust: { enabled: "no" } } },
  });
  expect(off).toEqual(A_IS_ON);
  expect(faults).toEqual(["/security/folderTrust/enabled"]);
});
