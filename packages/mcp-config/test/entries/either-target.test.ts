import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const url = "https://h.example/mcp";

async function read(host: string, entry: object, key = "mcpServers") {
  const { servers, diagnostics, told } = await parse(
    { [key]: { s: entry } },
    { host, file: "/home/u/own.json" },
  );
  return { written: servers[0]?.written, diagnostics, told };
}

describe("the type decides which of a command and a URL counts", () => {
  test.each<[string, object, string, string, readonly string[]]>([
    [
      "jackfield",
      { type: "stdio", command: "x", url, headers: { A: "b" } },
      "mcpServers",
      "stdio",
      ["url", "headers"],
    ],
    [
      "jackfield",
      { type: "sse", command: "x", args: ["a"], cwd: "/x", url },
      "mcpServers",
      "sse",
      ["command", "args", "cwd"],
    ],
    ["opencode", { type: "remote", url, command: ["x", "a"] }, "mcp", "http", ["command", "command"]],
    ["opencode", { type: "local", url, command: ["x", "a"] }, "mcp", "stdio", ["url"]],
    ["vscode", { type: "http", url, command: "x" }, "servers", "http", ["command"]],
    ["windsurf", { type: "stdio", serverUrl: url, command: "x" }, "mcpServers", "stdio", ["serverUrl"]],
  ])("%s: %j", async (host, entry, key, transport, idle) => {
    const { written, diagnostics } = await read(host, entry, key);
    expect(written?.transport).toBe(transport);
    expect(diagnostics.map(({ code, pointer }) => [code, pointer?.split("/")[3]])).toEqual(
      idle.map((field) => ["unused-field", field]),
    );
  });

  test.each<[string, object, string]>([
    ["jackfield", { command: "x", url }, "/mcpServers/s/url"],
    ["codex", { command: "x", url }, "/mcp_servers/s/url"],
    ["roo", { type: "stdio", command: "x", url }, "/mcpServers/s/url"],
    ["roo", { type: "sse", command: "x", url }, "/mcpServers/s/url"],
    ["jackfield", { type: "http", command: "x" }, "/mcpServers/s/type"],
  ])("where it cannot, the entry is refused: %s %j", async (host, entry, pointer) => {
    const key = host === "codex" ? "mcp_servers" : "mcpServers";
    const { diagnostics } = await read(host, entry, key);
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", pointer }]);
  });
});

test.each<[string, object, string, string]>([
  ["jackfield", { command: "x", args: [], url: "", headers: null }, "mcpServers", "stdio"],
  ["jackfield", { url, command: "", args: [], env: null, type: "" }, "mcpServers", "http"],
  ["jackfield", { url, command: {}, oauth: null, tools: null, cwd: "", enabled: null }, "mcpServers", "http"],
  ["cursor", { command: "x", url: "" }, "mcpServers", "stdio"],
  ["claude-desktop", { command: "x", url: null }, "mcpServers", "stdio"],
  ["gemini", { command: "x", httpUrl: "", url: null, type: null }, "mcpServers", "stdio"],
  ["roo", { type: "stdio", command: "x", url: "" }, "mcpServers", "stdio"],
  ["zed", { command: null, url }, "context_servers", "http"],
])(
  "an empty text, an empty object and null are like no such field: %s %j",
  async (host, entry, key, transport) => {
    const { written, told } = await read(host, entry, key);
    expect([written?.transport, written?.enabled, told]).toEqual([transport, true, []]);
  },
);

describe("lists of tools", () => {
  const INCLUDE = [
    "includeTools",
    "allowedTools",
    "enabledTools",
    "availableTools",
    "allowed_tools",
    "enabled_tools",
  ];
  const EXCLUDE = [
    "excludeTools",
    "blockedTools",
    "disabledTools",
    "disallowedTools",
    "blocked_tools",
    "disabled_tools",
  ];

  test.each([...INCLUDE, ...EXCLUDE])("are obeyed under every host's name for them: %s", async (field) => {
    const list = INCLUDE.includes(field) ? "include" : "exclude";
    for (const host of ["jackfield", "claude-code", "cursor"]) {
      const { written, told, diagnostics } = await read(host, { command: "x", [field]: ["a"] });
      expect([host, written?.tools, written?.extra]).toEqual([host, { [list]: ["a"] }, undefined]);
      expect(told).toEqual(["unknown-field: s"]);
      if (host === "jackfield")
        expect(diagnostics[0]).toMatchObject({ severity: "info", suggestion: "tools" });
    }
  });

  test.each<[object, object | undefined]>([
    [{ tools: ["a"] }, { include: ["a"] }],
    [{ tools: ["*"] }, undefined],
    [{ tools: { include: ["a"], exclude: ["b"] } }, { include: ["a"], exclude: ["b"] }],
    [{ tools: {} }, undefined],
    [{ tools: { exclude: ["b"] }, disabledTools: ["c"] }, { exclude: ["b", "c"] }],
    [
      { tools: ["a"], enabledTools: ["c"], excludeTools: ["d"] },
      { include: ["a"], exclude: ["d"] },
    ],
  ])("in Jackfield's own file: %j", async (fields, tools) => {
    expect((await read("jackfield", { command: "x", ...fields })).written?.tools).toEqual(tools);
  });

  test("that cannot be read switch the server off, whatever their name", async () => {
    const { written, told } = await read("cursor", { command: "x", disabledTools: "rm" });
    expect([written?.enabled, told]).toEqual([false, ["invalid-field: s", "unknown-field: s"]]);
  });

  test("are no other field of that name", async () => {
    const tools = { rm: { approval_mode: "prompt" } };
    const { written, told } = await read("cursor", { command: "x", tools });
    expect([written?.enabled, written?.tools, written?.extra]).toEqual([true, undefined, { tools }]);
    expect(told).toEqual(["unknown-field: s"]);
  });
});

test.each([
  ["serverUrl", "url", ""],
  ["http_headers", "headers", ""],
  ["working_directory", "cwd", ""],
  ["tool_timeout_sec", "callTimeoutMs", ", in milliseconds"],
  ["startup_timeout_sec", "connectTimeoutMs", ", in milliseconds"],
  ["environment", "env", ""],
  ["transport", "type", ""],
])("another host's name is told with the name in Jackfield's own file: %s", async (field, meant, unit) => {
  const { diagnostics, written } = await read("jackfield", { command: "x", [field]: 5 });
  expect(diagnostics).toMatchObject([{ code: "near-miss-field", suggestion: meant }]);
  expect(diagnostics[0]?.message).toContain(`did you mean "${meant}"${unit}?`);
  expect(written?.extra).toEqual({ [field]: 5 });
});

test.each([
  ["bearer_token_env_var", "headers", "Bearer ${NAME}"],
  ["apiKey", "headers", "Authorization"],
  ["env_http_headers", "headers", "${NAME}"],
  ["env_keys", "env", "${NAME}"],
  ["oauthClientId", "oauth", "clientId"],
  ["auth", "oauth", "clientId"],
])(
  "what has another field in Jackfield's own file is told with how to write it: %s",
  async (field, meant, example) => {
    const { diagnostics } = await read("jackfield", { url, [field]: "x" });
    expect(diagnostics).toMatchObject([{ code: "near-miss-field", suggestion: meant }]);
    expect(diagnostics[0]?.message).toContain(example);
  },
);

test.each<[string, object, string]>([
  ["codex", { command: "x", http_headers: {} }, "stdio"],
  ["codex", { command: [], url }, "http"],
  ["zed", { command: "x", url: " " }, "stdio"],
  ["opencode", { type: "remote", url, command: [] }, "http"],
  ["mcporter", { baseUrl: url, command: [] }, "http"],
  ["sep-2633", { type: "stdio", command: "x", headers: {} }, "stdio"],
])("what holds nothing decides nothing: %s, %j", async (host, entry, transport) => {
  const key = { codex: "mcp_servers", zed: "context_servers", opencode: "mcp" }[host] ?? "mcpServers";
  const { servers } = await parse({ [key]: { s: entry } }, { host, file: "/folder/own.json" });
  expect(servers[0]?.written.transport).toBe(transport);
});

test("settings for OAuth are read with the server's own endpoints", async () => {
  const oauth = {
    clientId: "me",
    scopes: "read write",
    issuer: "https://i.example",
    authorizationUrl: "https://i.example/authorize",
    tokenUrl: "https://i.example/token",
    resource: false,
  };
  const { written, told } = await read("jackfield", { url, oauth });
  expect([written?.oauth, told]).toEqual([{ ...oauth, scopes: ["read", "write"] }, []]);
  const { diagnostics } = await read("jackfield", { url, oauth: { issuer: 5 } });
  expect(diagnostics).toMatchObject([{ code: "ServerConfigError", pointer: "/mcpServers/s/oauth/issuer" }]);
});
