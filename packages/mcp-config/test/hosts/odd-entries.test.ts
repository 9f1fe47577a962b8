import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";

const servers = (entries: object) => ({ mcpServers: entries });

describe("a url without a type", () => {
  test.each<[string, string | undefined]>([
    ...["cursor", "vscode", "gemini", "zed", "codex", "copilot-cli", "windsurf", "opencode"].map(asHttp),
    ...["continue", "amp", "goose", "kiro", "lm-studio", "junie", "warp", "mcporter", "inspector"].map(
      asHttp,
    ),
    ["cline", "sse"],
    ["claude-code", undefined],
    ["roo", undefined],
    ["omp", undefined],
    ["sep-2633", undefined],
  ])("means to %s %s", async (host, transport) => {
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

describe("what a host refuses", () => {
  test.each<[string, string, object, string]>([
    ["a command beside a url", "roo", { command: "x", url: "https://h", type: "sse" }, "/mcpServers/s/url"],
    ["an entry without a type", "sep-2633", { command: "x" }, "/mcpServers/s"],
    [
      "an open connection to another machine",
      "agent-plugins",
      { type: "streamable-http", url: "http://host.example/mcp" },
      "/mcpServers/s/url",
    ],
    [
      "an address that only begins like this machine's",
      "agent-plugins",
      { type: "sse", url: "http://127.0.0.1.evil.example/mcp" },
      "/mcpServers/s/url",
    ],
  ])("%s, as %s does", async (_what, host, entry, pointer) => {
    const { names, diagnostics } = await parse(servers({ s: entry, ok: OK[host] ?? { command: "x" } }), {
      host,
    });
    expect(names).toEqual(["ok"]);
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", server: "s", pointer }]);
  });

  test.each(["$", "cost: $5", "a$ b"])("a lone dollar sign, as Crush does: %j", async (text) => {
    const content = {
      mcp: { s: { type: "stdio", command: "x", env: { A: text } }, ok: { command: "${A}$B$(c)" } },
    };
    const { names, diagnostics } = await parse(content, { host: "crush" });
    expect(names).toEqual(["ok"]);
    expect(diagnostics[0]).toMatchObject({ code: "ServerConfigError", pointer: "/mcp/s/env" });
  });

  test.each(["with space", "dot.ted", "ü"])(
    "a name that the SEP-2633 draft does not have: %j",
    async (name) => {
      const { names, told } = await parse(servers({ [name]: OK["sep-2633"], "a[1]-b_c": OK["sep-2633"] }), {
        host: "sep-2633",
      });
      expect([names, told]).toEqual([["a[1]-b_c"], [`ServerConfigError: ${name}`]]);
    },
  );
});

const OK: { readonly [host: string]: object } = {
  "sep-2633": { type: "stdio", command: "x" },
  "agent-plugins": { type: "sse", url: "http://localhost:1234/sse" },
};

describe("a list of the tools to offer", () => {
  test.each([
    ["copilot-cli", "tools", { include: [] }],
    ["omp", "enabledTools", undefined],
    ["crush", "enabled_tools", undefined],
    ["goose", "available_tools", undefined],
  ])("that is empty means to %s (%s) %j", async (host, field, tools) => {
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

  test("that says * in the Copilot command line means all of them", async () => {
    const content = servers({ s: { command: "x", tools: ["*"] } });
    const { servers: found } = await parse(content, { host: "copilot-cli" });
    expect(found[0]?.written.tools).toBeUndefined();
  });
});

test("servers may stand bare in files of the Copilot command line and of Warp", async () => {
  for (const host of ["copilot-cli", "warp"]) {
    const content = { $schema: "x", s: { command: "x" }, remote: { url: "https://h" }, other: { a: 1 } };
    expect((await parse(content, { host })).names).toEqual(["s", "remote"]);
  }
});

test("fields of the time limit mean what their host counts", async () => {
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
