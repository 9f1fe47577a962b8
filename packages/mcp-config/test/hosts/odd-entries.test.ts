import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const servers = (entries: object) => ({ mcpServers: entries });

describe("a url without a type", () => {
  test.each<[string, string | undefined]>([
    ...["cursor", "vscode", "gemini", "zed", "codex", "copilot-cli", "windsurf", "opencode"].map(asHttp),
    ...["continue", "amp", "goose", "kiro", "lm-studio", "junie", "warp", "mcporter"].map(asHttp),
    ["cline", "sse"],
    ["claude-code", undefined],
    ["roo", undefined],
    ["omp", undefined],
    ["sep-2633", undefined],
    ["inspector", undefined],
    ["agent-plugins", undefined],
  ])("is read by %s with the transport %s", async (host, transport) => {
    const key = KEYS[host] ?? "mcpServers";
    const field = host === "goose" ? "uri" : "url";
    const entry = { [field]: "https://host.example/mcp" };
    const content = host === "continue" ? { [key]: [{ name: "s", ...entry }] } : { [key]: { s: entry } };
    const isToml = host === "codex";
    const text = isToml ? '[mcp_servers.s]\nurl = "https://host.example/mcp"\n' : JSON.stringify(content);
    const file = isToml ? "/folder/config.toml" : "/folder/file.json";
    const { servers: found, told } = await parse(text, { host, file });
    expect(found.map(({ written }) => written.transport)).toEqual(transport === undefined ? [] : [transport]);
    if (transport === undefined) expect(told).toEqual(["ServerConfigError: s"]);
  });
});

const KEYS: { readonly [host: string]: string } = {
  vscode: "servers",
  zed: "context_servers",
  goose: "extensions",
  amp: "amp.mcpServers",
  opencode: "mcp",
};

function asHttp(host: string): [string, string] {
  return [host, "http"];
}

describe("the rules of a host", () => {
  test("explain why Agent Plugins refuses a port from a variable", async () => {
    const entry = { type: "streamable-http", url: "http://localhost:${PORT}/mcp" };
    const { diagnostics } = await parse({ mcpServers: { s: entry } }, { host: "agent-plugins" });
    expect(diagnostics[0]?.message).toContain("must not use variables for its scheme, host or port");
  });

  test("allow an address in the query of a url of Agent Plugins, user name and all", async () => {
    const entry = { type: "streamable-http", url: "https://host.example/mcp?next=ftp://ann@other.example" };
    const { servers: found, diagnostics } = await parse(
      { mcpServers: { s: entry } },
      { host: "agent-plugins" },
    );
    expect(diagnostics).toEqual([]);
    expect(found[0]?.definition).toMatchObject({ url: entry.url });
  });

  test.each<[string, string, object, string]>([
    ["a command beside a url", "roo", { command: "x", url: "https://h", type: "sse" }, "/mcpServers/s/url"],
    ["an entry without a type", "sep-2633", { command: "x" }, "/mcpServers/s"],
    [
      "an unencrypted url to another machine",
      "agent-plugins",
      { type: "streamable-http", url: "http://host.example/mcp" },
      "/mcpServers/s/url",
    ],
    [
      "a url that only begins like a loopback address",
      "agent-plugins",
      { type: "sse", url: "http://127.0.0.1.evil.example/mcp" },
      "/mcpServers/s/url",
    ],
    [
      "a port from a variable",
      "agent-plugins",
      { type: "streamable-http", url: "http://localhost:${PORT}/mcp" },
      "/mcpServers/s/url",
    ],
    ["a stdio server without a type", "agent-plugins", { command: "x" }, "/mcpServers/s"],
    ["an unknown type", "inspector", { type: "streamableHttp", url: "https://h" }, "/mcpServers/s/type"],
    ...["../x", "./../x", "/bin/x", "bin/x", "${PLUGIN_ROOT}/../x", "..\\x", "${PLUGIN_DATA}/x"].map(
      (command) => inPlugin("command", { command }),
    ),
    ...["./a/${X:-../../..}/bin/sh", "./${X}", "./${PLUGIN_ROOT:-../..}/sh", "${SHELL}", "${CMD:-sh}"].map(
      (command) => inPlugin("command", { command }),
    ),
    ...["..", "data", "/tmp", ".", "./a/../../b", "${PLUGIN_ROOT}/..", "${PLUGIN_DATA}x", "${HOME}/x"].map(
      (cwd) => inPlugin("cwd", { command: "x", cwd }),
    ),
    ...["${PLUGIN_ROOT}/${X:-../../..}/etc", "${PLUGIN_DATA}/${X}", "./${X:-..}", "${PLUGIN_ROOT:-/etc}"].map(
      (cwd) => inPlugin("cwd", { command: "x", cwd }),
    ),
    ...["PLUGIN_ROOT", "PLUGIN_DATA"].map((name) => inPlugin("env", { command: "x", env: { [name]: "/" } })),
    ...["https://u:p@h/mcp", "https://u@h", "https://h/mcp#x", "https://h/#", " http://host.example/"].map(
      (url) => inPlugin("url", { type: "sse", url }),
    ),
    ...[
      "http://${HOST:-host.example}/mcp",
      "${U:-http://host.example/x}",
      "${U}",
      "https://${X:-u:p@h}/",
    ].map((url) => inPlugin("url", { type: "sse", url })),
    ...["http${S:-://host.example}/", "http:${S:-//host.example}/x", "https://host${X}?a"].map((url) =>
      inPlugin("url", { type: "sse", url }),
    ),
  ])("refuse %s (%s)", async (_what, host, entry, pointer) => {
    const { names, diagnostics } = await parse(servers({ s: entry, ok: OK[host] ?? { command: "x" } }), {
      host,
    });
    expect(names).toEqual(["ok"]);
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", server: "s", pointer }]);
  });

  test("let an Agent Plugins server use bundled and installed programs", async () => {
    const ways = [
      { command: "npx", args: ["../x"] },
      { command: "./bin/x", cwd: "./a/../b" },
      { command: "${PLUGIN_ROOT}/bin/x", cwd: "${PLUGIN_DATA}/x", env: { PLUGIN_HOME: "/x" } },
      { command: "x", cwd: "${PLUGIN_ROOT}" },
      { type: "sse", url: "https://host.example/${TENANT:-all}/sse?key=${KEY}" },
    ];
    const entries = Object.fromEntries(ways.map((way, index) => [`s${index}`, { type: "stdio", ...way }]));
    const { names, told } = await parse(servers(entries), {
      host: "agent-plugins",
      file: "/plugin/mcp.json",
    });
    expect([names, told]).toEqual([Object.keys(entries), []]);
  });

  test.each(["$", "cost: $5", "a$ b"])("refuse a lone dollar sign in Crush: %j", async (text) => {
    const content = {
      mcp: { s: { type: "stdio", command: "x", env: { A: text } }, ok: { command: "${A}$B$(c)" } },
    };
    const { names, diagnostics } = await parse(content, { host: "crush" });
    expect(names).toEqual(["ok"]);
    expect(diagnostics[0]).toMatchObject({ code: "ServerConfigError", pointer: "/mcp/s/env" });
  });

  test.each(["with space", "dot.ted", "ü"])(
    "refuse a name outside the SEP-2633 draft's character set: %j",
    async (name) => {
      const { names, told } = await parse(servers({ [name]: OK["sep-2633"], "a[1]-b_c": OK["sep-2633"] }), {
        host: "sep-2633",
      });
      expect([names, told]).toEqual([["a[1]-b_c"], [`ServerConfigError: ${name}`]]);
    },
  );
});

function inPlugin(field: string, entry: object): [string, string, object, string] {
  const written = JSON.stringify(Object.values(entry));
  return [
    `${field} of a plugin: ${written}`,
    "agent-plugins",
    { type: "stdio", ...entry },
    `/mcpServers/s/${field}`,
  ];
}

const OK: { readonly [host: string]: object } = {
  "sep-2633": { type: "stdio", command: "x" },
  "agent-plugins": { type: "sse", url: "http://localhost:1234/sse" },
  inspector: { type: "http", url: "https://h" },
};

describe("a tool allowlist", () => {
  test.each([
    ["copilot-cli", "tools", { include: [] }],
    ["omp", "enabledTools", undefined],
    ["crush", "enabled_tools", undefined],
    ["goose", "available_tools", undefined],
  ])("that is empty is read by %s (%s) as %j", async (host, field, tools) => {
    const key = { crush: "mcp", goose: "extensions" }[host] ?? "mcpServers";
    const command = host === "goose" ? "cmd" : "command";
    const { servers: found } = await parse(
      { [key]: { s: { [command]: "x", [field]: [] } } },
      {
        host,
        file: "/folder/file.json",
      },
    );
    expect(found.map(({ written }) => written.tools)).toEqual([tools]);
  });

  test("that contains * allows every tool in Copilot CLI", async () => {
    const content = servers({ s: { command: "x", tools: ["*"] } });
    const { servers: found } = await parse(content, { host: "copilot-cli" });
    expect(found[0]?.written.tools).toBeUndefined();
  });
});

test("Copilot CLI and Warp files may hold servers at their root", async () => {
  for (const host of ["copilot-cli", "warp"]) {
    const content = { $schema: "x", s: { command: "x" }, remote: { url: "https://h" }, other: { a: 1 } };
    expect((await parse(content, { host })).names).toEqual(["s", "remote"]);
  }
});

test("timeout is in seconds or milliseconds, depending on the host", async () => {
  const seconds = { roo: "mcpServers", zed: "context_servers", crush: "mcp", cline: "mcpServers" };
  for (const [host, key] of Object.entries(seconds)) {
    const { servers: found } = await parse({ [key]: { s: { command: "x", timeout: 30 } } }, { host });
    expect([host, found[0]?.written.timeoutMs]).toEqual([host, 30_000]);
  }
  for (const host of ["kiro", "omp", "gemini", "claude-code", "copilot-cli"]) {
    const { servers: found } = await parse(servers({ s: { command: "x", timeout: 30_000 } }), { host });
    expect([host, found[0]?.written.timeoutMs]).toEqual([host, 30_000]);
  }
});
