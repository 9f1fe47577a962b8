import { expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const mcpServers = (entries: object) => ({ mcpServers: entries });
const local = { command: "npx", args: ["-y", "x"], env: {} };
const url = "https://host.example/mcp";

/** Files as the host's own command or window writes them, by the notes in its documentation or source. */
const FILES: readonly (readonly [string, string, unknown])[] = [
  [
    "claude-code",
    "/folder/.claude.json",
    {
      ...mcpServers({
        a: { type: "stdio", ...local },
        b: { type: "http", url, oauth: { clientId: "c", callbackPort: 8080 } },
        c: { type: "sse", url, headers: { A: "b" } },
      }),
      numStartups: 3,
      projects: {
        "/p": {
          allowedTools: [],
          mcpServers: {},
          enabledMcpjsonServers: [],
          disabledMcpjsonServers: [],
          history: [],
        },
      },
      oauthAccount: {},
    },
  ],
  [
    "claude-desktop",
    "/folder/claude_desktop_config.json",
    { ...mcpServers({ a: local }), globalShortcut: "", scale: 0 },
  ],
  ["cursor", "/folder/mcp.json", mcpServers({ a: local, b: { url, headers: {} } })],
  [
    "vscode",
    "/folder/.vscode/mcp.json",
    {
      servers: {
        a: {
          type: "stdio",
          ...local,
          env: { T: "${input:t}", N: null },
          gallery: "https://g.example",
          version: "1",
        },
        b: { type: "http", url, gallery: true },
      },
      inputs: [{ type: "promptString", id: "t", description: "d", password: true }],
    },
  ],
  [
    "windsurf",
    "/folder/mcp_config.json",
    mcpServers({ a: { ...local, disabled: false, disabledTools: [] }, b: { serverUrl: url, headers: {} } }),
  ],
  [
    "cline",
    "/folder/cline_mcp_settings.json",
    mcpServers({
      "github.com/acme/a": { autoApprove: [], disabled: false, timeout: 60, type: "stdio", ...local },
      b: { autoApprove: ["x"], disabled: true, timeout: 60, type: "streamableHttp", url, headers: {} },
      c: { transport: { type: "stdio", command: "npx" }, disabled: false, metadata: {} },
    }),
  ],
  [
    "zed",
    "/folder/settings.json",
    {
      context_servers: {
        a: { source: "custom", enabled: true, ...local },
        b: { enabled: true, remote: false, command: "x", args: [], env: null },
        c: { url, headers: {}, timeout: 60 },
      },
    },
  ],
  [
    "gemini",
    "/folder/settings.json",
    {
      ...mcpServers({
        a: { ...local, trust: false, timeout: 600_000 },
        b: { url, type: "http", headers: {} },
      }),
      mcp: { allowed: ["a", "b"], excluded: ["z"] },
    },
  ],
  [
    "opencode",
    "/folder/opencode.json",
    {
      $schema: "https://opencode.ai/config.json",
      mcp: {
        a: { type: "local", command: ["npx", "x"], enabled: true },
        b: { type: "remote", url, oauth: {} },
      },
    },
  ],
  [
    "copilot-cli",
    "/folder/mcp-config.json",
    mcpServers({
      a: { type: "local", ...local, tools: ["*"] },
      b: { type: "http", url, headers: {}, tools: ["*"] },
    }),
  ],
  ["amp", "/folder/settings.json", { "amp.mcpServers": { a: local, b: { url, headers: {} } } }],
  [
    "kiro",
    "/folder/mcp.json",
    {
      ...mcpServers({
        a: { ...local, disabled: false, autoApprove: [], disabledTools: [] },
        b: { url, oauth: { redirectUri: "http://127.0.0.1:7778" }, oauthScopes: ["a"], timeout: 120_000 },
      }),
      powers: { mcpServers: { p: { command: "p" } } },
    },
  ],
  ["lm-studio", "/folder/mcp.json", mcpServers({ a: local, b: { url, headers: {}, timeout: 600_000 } })],
  ["junie", "/folder/mcp.json", mcpServers({ a: local })],
  ["warp", "/folder/.mcp.json", { a: { ...local, working_directory: null, start_on_launch: true } }],
  [
    "crush",
    "/folder/crush.json",
    {
      $schema: "https://charm.land/crush.json",
      mcp: {
        a: { type: "stdio", ...local, timeout: 120, disabled: false },
        b: { type: "http", url, headers: {} },
      },
    },
  ],
  [
    "mcporter",
    "/folder/mcporter.json",
    {
      ...mcpServers({
        a: {
          description: "d",
          baseUrl: url,
          auth: "oauth",
          tokenCacheDir: "~/.x",
          clientName: "c",
          oauthRedirectUrl: "http://127.0.0.1:1/cb",
        },
        b: { ...local, lifecycle: "keep-alive", logging: { daemon: { enabled: true } } },
      }),
      imports: [],
    },
  ],
  [
    "inspector",
    "/folder/mcp.json",
    mcpServers({
      a: { type: "stdio", ...local, cwd: "/x" },
      b: {
        type: "streamable-http",
        url,
        connectionTimeout: 10_000,
        requestTimeout: 1000,
        metadata: [],
        roots: [],
        protocolEra: "auto",
        autoRefreshOnListChanged: true,
        paginatedLists: false,
        maxFetchRequests: 1000,
        taskTtl: 60_000,
      },
    }),
  ],
  [
    "codex",
    "/folder/config.toml",
    `model = "m"\n[mcp_servers.a]\ncommand = "npx"\nargs = ["-y"]\nenabled = true\n[mcp_servers.a.env]\nA = "b"\n[mcp_servers.b]\nurl = "${url}"\nbearer_token_env_var = "T"\n[mcp_servers.b.tools.search]\napproval_mode = "approve"\n[projects."/x"]\ntrust_level = "trusted"\n`,
  ],
  [
    "goose",
    "/folder/config.yaml",
    `extensions:\n  a:\n    enabled: true\n    type: stdio\n    name: a\n    description: x\n    display_name: null\n    cmd: npx\n    args: [-y]\n    envs: {}\n    env_keys: []\n    timeout: 300\n    bundled: null\n    available_tools: []\n  b:\n    enabled: true\n    type: streamable_http\n    name: b\n    uri: ${url}\n    headers: {}\n    env_keys: [T]\n    socket: null\n    timeout: 300\n`,
  ],
];

test.each(FILES)("a file that %s wrote itself is read without a remark", async (host, file, content) => {
  const { servers, told } = await parse(content, { host, file });
  expect(told).toEqual([]);
  expect(servers.length).toBeGreaterThan(0);
  for (const { written } of servers) expect(written.command ?? written.url).toBeDefined();
});
