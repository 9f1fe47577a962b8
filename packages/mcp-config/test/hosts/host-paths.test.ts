import { describe, expect, test } from "vitest";
import type { HostSurroundings } from "../../src/hosts/host-dialect.ts";
import { dialectOf, HOST_DIALECTS } from "../../src/hosts/host-dialects.ts";

const LINUX: HostSurroundings = {
  platform: "linux",
  env: {},
  home: "/home/u",
  cwd: "/p/a",
  projectTop: "/p",
};
const DARWIN: HostSurroundings = { ...LINUX, platform: "darwin", home: "/Users/u" };
const WIN32: HostSurroundings = {
  platform: "win32",
  env: { APPDATA: "D:\\Roaming", LOCALAPPDATA: "D:\\Local" },
  home: "C:\\Users\\u",
  cwd: "C:\\p\\a",
  projectTop: "C:\\p",
};

function filesOf(host: string, kind: string, at: HostSurroundings, env = {}): string[] {
  const file = dialectOf(host)?.files.find((known) => known.kind === kind);
  return (file?.paths({ ...at, env: { ...at.env, ...env } }) ?? []).map((path) => path.file);
}

const ROO = "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json";
const SUPPORT = "/Users/u/Library/Application Support";

describe("the files of a host", () => {
  test.each<[string, string, string, string, string]>([
    ["claude-code", "user", "/home/u/.claude.json", "/Users/u/.claude.json", "C:\\Users\\u\\.claude.json"],
    [
      "claude-desktop",
      "user",
      "/home/u/.config/Claude/claude_desktop_config.json",
      `${SUPPORT}/Claude/claude_desktop_config.json`,
      "D:\\Roaming\\Claude\\claude_desktop_config.json",
    ],
    [
      "cursor",
      "user",
      "/home/u/.cursor/mcp.json",
      "/Users/u/.cursor/mcp.json",
      "C:\\Users\\u\\.cursor\\mcp.json",
    ],
    [
      "vscode",
      "user",
      "/home/u/.config/Code/User/mcp.json",
      `${SUPPORT}/Code/User/mcp.json`,
      "D:\\Roaming\\Code\\User\\mcp.json",
    ],
    [
      "codex",
      "user",
      "/home/u/.codex/config.toml",
      "/Users/u/.codex/config.toml",
      "C:\\Users\\u\\.codex\\config.toml",
    ],
    [
      "codex",
      "system",
      "/etc/codex/config.toml",
      "/etc/codex/config.toml",
      "C:\\ProgramData\\OpenAI\\Codex\\config.toml",
    ],
    [
      "jackfield",
      "user",
      "/home/u/.config/jackfield/mcp.json",
      `${SUPPORT}/jackfield/mcp.json`,
      "D:\\Roaming\\jackfield\\mcp.json",
    ],
    [
      "zed",
      "user",
      "/home/u/.config/zed/settings.json",
      "/Users/u/.config/zed/settings.json",
      "D:\\Roaming\\Zed\\settings.json",
    ],
    [
      "goose",
      "user",
      "/home/u/.config/goose/config.yaml",
      "/Users/u/.config/goose/config.yaml",
      "D:\\Roaming\\Block\\goose\\config\\config.yaml",
    ],
    [
      "roo",
      "user",
      `/home/u/.config/${ROO}`,
      `${SUPPORT}/${ROO}`,
      `D:\\Roaming\\${ROO.replaceAll("/", "\\")}`,
    ],
  ])("are in the platform's own place: %s (%s)", (host, kind, linux, darwin, windows) => {
    expect(filesOf(host, kind, LINUX)).toEqual([linux]);
    expect(filesOf(host, kind, DARWIN)).toEqual([darwin]);
    expect(filesOf(host, kind, WIN32)).toEqual([windows]);
  });

  test.each<[string, ...string[]]>([
    ["windsurf", ".codeium/windsurf/mcp_config.json", ".codeium/mcp_config.json"],
    ["copilot-cli", ".copilot/mcp-config.json"],
    ["cline", ".cline/data/settings/cline_mcp_settings.json"],
    ["amp", ".config/amp/settings.jsonc", ".config/amp/settings.json"],
    ["kiro", ".kiro/settings/mcp.json"],
    ["lm-studio", ".lmstudio/mcp.json"],
    ["junie", ".junie/mcp/mcp.json"],
    ["warp", ".warp/.mcp.json"],
    ["crush", ".config/crush/crush.json"],
    ["omp", ".omp/agent/mcp.json", ".omp/agent/.mcp.json"],
    [
      "mcporter",
      ...[".config/mcporter/mcporter.json", ".config/mcporter/mcporter.jsonc"],
      ...[".mcporter/mcporter.json", ".mcporter/mcporter.jsonc"],
    ],
    ["inspector", ".mcp-inspector/mcp.json"],
  ])("are in the home folder on every platform: %s at %s", (host, ...files) => {
    expect(filesOf(host, "user", LINUX)).toEqual(files.map((file) => `/home/u/${file}`));
    expect(filesOf(host, "user", DARWIN)).toEqual(files.map((file) => `/Users/u/${file}`));
    const windows = files.map((file) => `C:\\Users\\u\\${file.replaceAll("/", "\\")}`);
    expect(filesOf(host, "user", WIN32)).toEqual(windows);
  });

  test.each<[string, string, ...string[]]>([
    ["zed", "project", ".zed/settings.json"],
    ["copilot-cli", "project", ".mcp.json", ".github/mcp.json"],
    ["roo", "project", ".roo/mcp.json"],
    ["amp", "project", ".amp/settings.jsonc", ".amp/settings.json"],
    ["kiro", "workspace", ".kiro/settings/mcp.json"],
    ["junie", "project", ".junie/mcp/mcp.json", ".idea/mcp.json", ".air/mcp.json", ".mcp.json"],
    ["warp", "project", ".warp/.mcp.json"],
    ["crush", "project", ".crush.json", "crush.json"],
    ["crush", "project-script", ".crushrc", "crushrc"],
    ["omp", "project", ".omp/mcp.json", ".omp/.mcp.json"],
    ["omp", "project-root", "mcp.json", ".mcp.json"],
    ["mcporter", "project", "config/mcporter.json", "config/mcporter.jsonc"],
    ["continue", "project-block", ".continue/mcpServers/*"],
  ])("are looked up in each project folder, the nearest first: %s (%s) at %s", (host, kind, ...files) => {
    const expected = ["/p/a", "/p"].flatMap((folder) => files.map((file) => `${folder}/${file}`));
    expect(filesOf(host, kind, LINUX)).toEqual(expected);
  });

  test.each([
    ["claude-code", "user", { CLAUDE_CONFIG_DIR: "/moved" }, ["/moved/.claude.json"]],
    ["codex", "user", { CODEX_HOME: "/moved" }, ["/moved/config.toml"]],
    ["gemini", "system-defaults", { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: "/moved.json" }, ["/moved.json"]],
    ["opencode", "named", { OPENCODE_CONFIG: "/moved.json" }, ["/moved.json"]],
    [
      "opencode",
      "user",
      { XDG_CONFIG_HOME: "/x" },
      ["/x/opencode/opencode.jsonc", "/x/opencode/opencode.json", "/x/opencode/config.json"],
    ],
    ["jackfield", "user", { JACKFIELD_HOME: "/moved" }, ["/moved/mcp.json"]],
    ["copilot-cli", "user", { COPILOT_HOME: "/moved" }, ["/moved/mcp-config.json"]],
    ["cline", "user", { CLINE_MCP_SETTINGS_PATH: "/moved.json" }, ["/moved.json"]],
    ["cline", "user", { CLINE_DATA_DIR: "/moved" }, ["/moved/settings/cline_mcp_settings.json"]],
    ["cline", "user", { CLINE_DIR: "/moved" }, ["/moved/data/settings/cline_mcp_settings.json"]],
    ["crush", "user", { CRUSH_GLOBAL_CONFIG: "/moved" }, ["/moved/crush.json"]],
    [
      "omp",
      "user",
      { OMP_PROFILE: "work" },
      ["/home/u/.omp/profiles/work/agent/mcp.json", "/home/u/.omp/profiles/work/agent/.mcp.json"],
    ],
    [
      "omp",
      "user",
      { OMP_PROFILE: "../.." },
      ["/home/u/.omp/agent/mcp.json", "/home/u/.omp/agent/.mcp.json"],
    ],
    ["codex", "user", { CODEX_HOME: "relative" }, ["/home/u/.codex/config.toml"]],
  ])("follow valid environment variables: %s (%s) with %j", (host, kind, env, files) => {
    expect(filesOf(host, kind, LINUX, env)).toEqual(files);
  });

  test("are looked up from the working folder to the project's top, each with its own root", () => {
    const project = dialectOf("cursor")?.files.find(({ kind }) => kind === "project");
    expect(project?.paths(LINUX)).toEqual([
      { file: "/p/a/.cursor/mcp.json", root: "/p/a" },
      { file: "/p/.cursor/mcp.json", root: "/p" },
    ]);
    expect(project?.paths(WIN32)).toEqual([
      { file: "C:\\p\\a\\.cursor\\mcp.json", root: "C:\\p\\a" },
      { file: "C:\\p\\.cursor\\mcp.json", root: "C:\\p" },
    ]);
  });
});

describe.each(HOST_DIALECTS.map((dialect) => [dialect.id, dialect] as const))(
  "the dialect of %s",
  (id, dialect) => {
    test("has a unique kebab-case id and unique file kinds", () => {
      expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(HOST_DIALECTS.filter((other) => other.id === id)).toHaveLength(1);
      expect(new Set(dialect.files.map(({ kind }) => kind)).size).toBe(dialect.files.length);
    });

    test.each([LINUX, DARWIN, WIN32])("has absolute paths on $platform", (at) => {
      const absolute = at.platform === "win32" ? /^[A-Z]:\\[^/]*$/ : /^\/[^\\]*$/;
      for (const file of dialect.files) {
        for (const path of file.paths(at)) {
          expect(path.file).toMatch(absolute);
          if (file.scope === "project") expect(path.root).toMatch(absolute);
        }
      }
    });
  },
);
