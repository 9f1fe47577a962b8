import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HostSurroundings } from "../../src/hosts/host-dialect.ts";
import { dialectOf } from "../../src/hosts/host-dialects.ts";
import { createServerAdmission } from "../../src/index.ts";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();
const mcpServers = (entries: object) => ({ mcpServers: entries });
const a = { command: "a" };

describe("off means off: a project's file that switches a server of the user's off", () => {
  test.each<[string, string, unknown, string, unknown, string]>([
    [
      "jackfield",
      ".config/jackfield/mcp.json",
      mcpServers({ a }),
      ".mcp.json",
      mcpServers({ a: { ...a, disabled: true } }),
      "disabled",
    ],
    [
      "jackfield",
      ".config/jackfield/mcp.json",
      mcpServers({ a }),
      ".mcp.json",
      mcpServers({ a: { enabled: false } }),
      "enabled",
    ],
    [
      "kiro",
      ".kiro/settings/mcp.json",
      mcpServers({ a }),
      ".kiro/settings/mcp.json",
      mcpServers({ a: { ...a, disabled: true } }),
      "disabled",
    ],
    [
      "crush",
      ".config/crush/crush.json",
      { mcp: { a } },
      "crush.json",
      { mcp: { a: { disabled: true } } },
      "disabled",
    ],
    [
      "opencode",
      ".config/opencode/opencode.json",
      { mcp: { a: { type: "local", command: ["a"] } } },
      "opencode.json",
      { mcp: { a: { enabled: false } } },
      "enabled",
    ],
    [
      "codex",
      ".codex/config.toml",
      '[mcp_servers.a]\ncommand = "a"\n',
      ".codex/config.toml",
      "[mcp_servers.a]\nenabled = false\n",
      "enabled",
    ],
    [
      "codex",
      ".codex/config.toml",
      '[mcp_servers.a]\ncommand = "a"\n',
      ".codex/config.toml",
      '[mcp_servers.a]\ncommand = "b"\nenabled = false\n',
      "enabled",
    ],
    [
      "zed",
      ".config/zed/settings.json",
      { context_servers: { a } },
      ".zed/settings.json",
      { context_servers: { a: { enabled: false } } },
      "enabled",
    ],
    [
      "warp",
      ".warp/.mcp.json",
      mcpServers({ a }),
      ".warp/.mcp.json",
      mcpServers({ a: { ...a, start_on_launch: false } }),
      "start_on_launch",
    ],
    [
      "omp",
      ".omp/agent/mcp.json",
      mcpServers({ a }),
      ".omp/mcp.json",
      { disabledServers: ["a"] },
      "disabledServers",
    ],
    [
      "gemini",
      ".gemini/settings.json",
      mcpServers({ a }),
      ".gemini/settings.json",
      { mcp: { excluded: ["A"] } },
      "mcp.excluded",
    ],
    [
      "gemini",
      ".gemini/settings.json",
      mcpServers({ a }),
      ".gemini/settings.json",
      { mcp: { allowed: ["b"] } },
      "mcp.allowed",
    ],
  ])("%s: %s with %j, %s with %j", async (host, own, content, path, switching, title) => {
    const { home, discover } = await homeWith({ [own]: content, [`work/${path}`]: switching });
    const { admit } = createServerAdmission();
    const { servers, blocked, diagnostics } = await discover({ hosts: [host], admit });
    expect(servers).toEqual([]);
    const off = blocked.find(({ definition }) => definition.definedIn.scope === "user");
    const file = join(home, "work", path);
    expect(off).toMatchObject({ by: "disabled", definition: { name: "a", enabled: false } });
    expect(off?.definition.disabledBy).toContain(`${title} in ${file}:`);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: "disabled-by-host", server: "a", file, line: expect.any(Number) }),
    );
    const won = await discover({
      hosts: [host],
      admit: createServerAdmission({ filters: { enabledServers: ["a"] } }).admit,
    });
    expect(won.servers).toMatchObject([{ name: "a", definedIn: { scope: "user" } }]);
    expect((await discover({ hosts: [host], admit, project: false })).servers).toHaveLength(1);
  });

  test("concerns an extension's server as well, and counts only if the nearest file says so", async () => {
    const off = mcpServers({ a: { ...a, disabled: true } });
    const { home, write, discover } = await homeWith({
      ".gemini/extensions/e/gemini-extension.json": mcpServers({ a }),
      ".kiro/settings/mcp.json": mcpServers({ a }),
      "work/.gemini/settings.json": off,
      "work/.kiro/settings/mcp.json": off,
      "work/sub/.kiro/settings/mcp.json": mcpServers({ a: { command: "theirs" } }),
    });
    const { admit } = createServerAdmission();
    const cwd = join(home, "work/sub");
    expect((await discover({ hosts: ["gemini"], cwd, admit })).servers).toEqual([]);
    expect((await discover({ hosts: ["kiro"], cwd, admit })).servers).toMatchObject([{ command: "a" }]);
    await write("work/sub/.kiro/settings/mcp.json", off);
    expect((await discover({ hosts: ["kiro"], cwd, admit })).servers).toEqual([]);
  });

  test("leaves the user's servers of other hosts alone", async () => {
    const { discover } = await homeWith({
      ".kiro/settings/mcp.json": mcpServers({ a }),
      "work/.mcp.json": mcpServers({ a: { ...a, disabled: true } }),
    });
    const { admit } = createServerAdmission();
    const { servers } = await discover({ hosts: ["jackfield", "kiro"], admit });
    expect(servers).toMatchObject([{ name: "a", definedIn: { host: "kiro" } }]);
  });

  test("loses to a local server of Claude Code, which the user has for just this project", async () => {
    const { project, write, discover } = await homeWith({
      "work/.mcp.json": mcpServers({ a: { ...a, disabled: true } }),
    });
    await write(".claude.json", { projects: { [project]: mcpServers({ a }) } });
    const { servers } = await discover({ hosts: ["claude-code"] });
    expect(servers).toMatchObject([{ name: "a", definedIn: { scope: "local" } }]);
    expect(servers[0]).not.toHaveProperty("enabled");
  });
});

describe("a switch that cannot be read", () => {
  test.each<[object, object, object, readonly string[]]>([
    [{ excluded: [1, "b"], allowed: "a" }, {}, { a: undefined }, ["/mcp/allowed", "/mcp/excluded/0"]],
    [{ excluded: "a" }, {}, { a: "mcp.excluded" }, ["/mcp/excluded"]],
    [{}, { a: { enabled: "false" }, b: {} }, { a: "mcp-server-enablement.json" }, ["/a"]],
    [{}, { a: false }, { a: "mcp-server-enablement.json" }, []],
  ])(
    "of Gemini CLI is told, and counts as off where it names a server: %j %j",
    async (mcp, states, off, told) => {
      const { discover } = await homeWith({
        ".gemini/settings.json": { ...mcpServers({ a }), mcp },
        ".gemini/mcp-server-enablement.json": states,
      });
      const { servers, diagnostics } = await discover({ hosts: ["gemini"] });
      expect(Object.fromEntries(servers.map(({ name, disabledBy }) => [name, disabledBy]))).toEqual(off);
      const faults = diagnostics.filter(({ code }) => code === "invalid-field");
      expect(faults.map(({ pointer }) => pointer).sort()).toEqual(told);
    },
  );

  test.each([{ mcp: "a" }, { mcp: ["a"] }])(
    "is told if something else is on the way to it: %j",
    async (content) => {
      const { diagnostics, names } = await parse({ ...mcpServers({ a }), ...content }, { host: "gemini" });
      expect(names).toEqual(["a"]);
      expect(diagnostics.filter(({ pointer }) => pointer === "/mcp").map(({ code }) => code)).toEqual([
        "invalid-field",
        "invalid-field",
      ]);
    },
  );

  test.each<[unknown, boolean]>([
    [true, true],
    [["1.0"], true],
    [{ enabled: true }, true],
    [false, false],
    ["no", false],
  ])("of a plugin of Claude Code counts as off: %j", async (state, isOn) => {
    const { home, write, discover } = await homeWith({
      "plugin/.claude-plugin/plugin.json": { name: "p", mcpServers: "./servers.json" },
      "plugin/servers.json": mcpServers({ a }),
      ".claude/settings.json": { enabledPlugins: { "p@m": state } },
    });
    const plugins = { "p@m": [{ installPath: join(home, "plugin") }] };
    await write(".claude/plugins/installed_plugins.json", { plugins });
    const { servers, diagnostics } = await discover({ hosts: ["claude-code"] });
    expect(servers.map(({ enabled = true }) => enabled)).toEqual([isOn]);
    const isRead = typeof state !== "string";
    expect(diagnostics.some(({ pointer }) => pointer === "/enabledPlugins/p@m")).toBe(!isOn || !isRead);
  });
});

describe("lists of Claude Code's own", () => {
  const b = { type: "http", url: "https://host/mcp" };
  const name = (serverName: string) => ({ serverName });
  test.each<[object, readonly string[], readonly string[]]>([
    [{ deniedMcpServers: [name("a")] }, ["b"], []],
    [{ deniedMcpServers: ["a"] }, ["b"], []],
    [{ deniedMcpServers: [{ serverUrl: "*" }, name("a")] }, ["b"], ["/deniedMcpServers/0"]],
    [{ deniedMcpServers: [{ serverCommand: ["a"] }] }, ["a", "b"], ["/deniedMcpServers/0"]],
    [{ deniedMcpServers: [] }, ["a", "b"], []],
    [{ allowedMcpServers: [name("a")] }, ["a"], []],
    [{ allowedMcpServers: [] }, [], []],
    [{ allowedMcpServers: [name("a"), { serverUrl: "*" }] }, ["a", "b"], ["/allowedMcpServers"]],
    [{ allowedMcpServers: [name("a"), name("b")], deniedMcpServers: [name("b")] }, ["a"], []],
  ])("switch servers off by name, and more than names is told: %j", async (lists, on, told) => {
    for (const settings of [".claude/settings.json", "work/.claude/settings.json"]) {
      const { home, discover } = await homeWith({
        ".claude.json": mcpServers({ a, b }),
        [settings]: lists,
      });
      const { admit } = createServerAdmission();
      const { servers, blocked, diagnostics } = await discover({ hosts: ["claude-code"], admit });
      expect(servers.map((server) => server.name)).toEqual(on);
      expect(blocked.map(({ by }) => by)).toEqual(["a", "b"].slice(on.length).map(() => "disabled"));
      const rules = diagnostics.filter(({ code }) => code === "unapplied-rules");
      expect(rules.map(({ file, pointer, line }) => [file, pointer, line])).toEqual(
        told.map((pointer) => [join(home, settings), pointer, 1]),
      );
    }
  });
});

describe("a host whose servers rules decide about that are not applied here", () => {
  test.each<[string, string, object]>([
    ["amp", ".config/amp/settings.json", { "amp.mcpPermissions": [{ matches: {}, action: "reject" }] }],
    ["gemini", ".gemini/settings.json", { admin: { mcp: { enabled: false } } }],
  ])("is used where they are the user's, and told once: %s, %s with %j", async (host, path, rules) => {
    const { home, discover } = await homeWith({
      [path]: { ...mcpServers({ a }), "amp.mcpServers": { a }, ...rules },
    });
    const { servers, diagnostics } = await discover({ hosts: [host] });
    expect(servers.map(({ name }) => name)).toEqual(["a"]);
    const told = diagnostics.filter(({ code }) => code === "unapplied-rules");
    expect(told).toMatchObject([{ severity: "warning", file: join(home, path), line: 1 }]);
    expect(told[0]?.message).toContain("switch off by name what is not to run");
  });

  test.each<[string, string, object]>([
    ["amp", ".config/amp/settings.json", { "amp.mcpPermissions": [] }],
    ["gemini", ".gemini/settings.json", { admin: { mcp: {} } }],
    ["amp", "work/.amp/settings.json", { "amp.mcpPermissions": [{ matches: {}, action: "reject" }] }],
  ])(
    "is told nothing if there are none, or if they are a project's: %s, %s with %j",
    async (host, path, rules) => {
      const { discover } = await homeWith({
        [path]: { ...mcpServers({ a }), "amp.mcpServers": { a }, ...rules },
      });
      const { servers, diagnostics } = await discover({ hosts: [host] });
      expect([servers.map(({ name }) => name), diagnostics]).toEqual([["a"], []]);
    },
  );

  test("because an administrator's file is there, is not read, and told once", async () => {
    const { home, discover, write } = await homeWith({
      ".gemini/settings.json": mcpServers({ a }),
      "work/.gemini/settings.json": mcpServers({ b: a }),
    });
    const file = join(home, "system.json");
    const env = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: file };
    expect((await discover({ hosts: ["gemini"], env })).servers).toHaveLength(2);
    for (const text of ["{", "", "{}"]) {
      await write("system.json", text);
      const { servers, problems, diagnostics } = await discover({ hosts: ["gemini"], env });
      expect([servers, problems]).toEqual([[], []]);
      expect(diagnostics).toMatchObject([{ code: "unapplied-rules", file }]);
      expect(diagnostics[0]?.message).toContain(
        "with servers or configFiles in code, with --config on the command line",
      );
    }
  });

  test.each<[string, string, string, string]>([
    [
      "claude-code",
      "/etc/claude-code/managed-mcp.json",
      "/Library/Application Support/ClaudeCode/managed-mcp.json",
      "C:\\Program Files\\ClaudeCode\\managed-mcp.json",
    ],
    [
      "claude-code",
      "/etc/claude-code/managed-settings.json",
      "/Library/Application Support/ClaudeCode/managed-settings.json",
      "C:\\Program Files\\ClaudeCode\\managed-settings.json",
    ],
    [
      "claude-code",
      "/etc/claude-code/managed-settings.d/*.json",
      "/Library/Application Support/ClaudeCode/managed-settings.d/*.json",
      "C:\\Program Files\\ClaudeCode\\managed-settings.d\\*.json",
    ],
    [
      "codex",
      "/etc/codex/managed_config.toml",
      "/etc/codex/managed_config.toml",
      "C:\\Users\\u\\.codex\\managed_config.toml",
    ],
    [
      "codex",
      "/etc/codex/requirements.toml",
      "/etc/codex/requirements.toml",
      "C:\\ProgramData\\OpenAI\\Codex\\requirements.toml",
    ],
    [
      "gemini",
      "/etc/gemini-cli/settings.json",
      "/Library/Application Support/GeminiCli/settings.json",
      "C:\\ProgramData\\gemini-cli\\settings.json",
    ],
    [
      "opencode",
      "/etc/opencode/opencode.json",
      "/Library/Application Support/opencode/opencode.json",
      "C:\\ProgramData\\opencode\\opencode.json",
    ],
    [
      "copilot-cli",
      "/etc/github-copilot/managed-settings.json",
      "/Library/Application Support/GitHubCopilot/managed-settings.json",
      "C:\\Program Files\\GitHubCopilot\\managed-settings.json",
    ],
    [
      "vscode",
      "/etc/vscode/policy.json",
      "/Library/Managed Preferences/com.microsoft.VSCode.plist",
      "C:\\Program Files\\GitHubCopilot\\managed-settings.json",
    ],
    [
      "amp",
      "/etc/ampcode/managed-settings.json",
      "/Library/Application Support/ampcode/managed-settings.json",
      "C:\\ProgramData\\ampcode\\managed-settings.json",
    ],
  ])("has its administrator's files in the platform's own place: %s at %s", (host, linux, darwin, win32) => {
    const filesAt = (platform: NodeJS.Platform, home: string) => {
      const at: HostSurroundings = { platform, env: {}, home, cwd: home, projectTop: home };
      return (dialectOf(host)?.administered?.(at) ?? []).map(({ file }) => file);
    };
    expect(filesAt("linux", "/home/u")).toContain(linux);
    expect(filesAt("darwin", "/Users/u")).toContain(darwin);
    expect(filesAt("win32", "C:\\Users\\u")).toContain(win32);
  });
});
