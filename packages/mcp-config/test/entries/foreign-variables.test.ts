import { describe, expect, test } from "vitest";
import { parseHostFile } from "../../src/index.ts";

/** The root keys of hosts that do not use `mcpServers`. */
const KEYS = new Map([
  ["zed", "context_servers"],
  ["opencode", "mcp"],
]);

/** The diagnostics for one entry in a host's file. */
async function reportsOn(host: string, entry: object, key = "mcpServers") {
  const file = "/home/u/config.json";
  const text = JSON.stringify({ [key]: { s: entry } });
  const { diagnostics } = await parseHostFile({ host, file, text, platform: "linux" });
  return diagnostics.map(({ code, pointer, suggestion }) => ({ code, pointer, suggestion }));
}

describe("a variable in another host's spelling", () => {
  const local = (value: string) => ({ command: "run", env: { API_TOKEN: value } });

  test.each([
    ["cursor", "${API}", "${env:API}"],
    ["cursor", "Bearer ${API:-none}", "${env:API}"],
    ["cline", "{env:API}", "${env:API}"],
    ["claude-code", "${env:API}", "${API}"],
    ["cursor", "$env:API", "${env:API}"],
    ["claude-code", "${env:A}-${API}", "${A}"],
    ["gemini", "{env:API}", "${API}"],
    ["opencode", "${API}", "{env:API}"],
    ["zed", "${API}", undefined],
    ["claude-desktop", "${env:API}", undefined],
  ])("is reported for %s with its own spelling: %s, %s", async (host, value, suggestion) => {
    const key = KEYS.get(host) ?? "mcpServers";
    const entry =
      host === "opencode" ? { type: "local", command: ["run"], environment: { API: value } } : local(value);
    const [found, ...others] = await reportsOn(host, entry, key);
    expect(found).toMatchObject({ code: "foreign-variable", suggestion });
    expect(others).toEqual([]);
  });

  test("is reported as written in headers, in the URL and in the client secret", async () => {
    const entry = {
      type: "http",
      url: "https://host.example/${TENANT}",
      headers: { Authorization: "Bearer ${API}" },
      auth: { CLIENT_ID: "me", CLIENT_SECRET: "${SECRET}" },
    };
    const found = await reportsOn("cursor", entry);
    expect(found.map(({ code, pointer }) => [code, pointer])).toEqual(
      ["url", "headers/Authorization", "auth/CLIENT_SECRET"].map((field) => [
        "foreign-variable",
        `/mcpServers/s/${field}`,
      ]),
    );
    const { diagnostics } = await parseHostFile({
      host: "cursor",
      file: "/home/u/mcp.json",
      text: JSON.stringify({ mcpServers: { s: entry } }, undefined, 2),
    });
    expect(diagnostics[1]).toMatchObject({ severity: "warning", server: "s", line: 7 });
    expect(diagnostics[1]?.message).toMatch(
      /"headers.Authorization" holds \$\{API\}, which its host passes on unchanged; write \$\{env:API\}\.$/,
    );
  });

  test.each([
    ["the host's own spelling", "cursor", local("${env:API}")],
    ["a place that the host may know", "cursor", local("${file}:${workspaceRoot}")],
    ["a password with such characters", "claude-desktop", { command: "run", env: { NAME: "a$b%c%{d}" } }],
    [
      "an argument that the program may fill in",
      "claude-desktop",
      { command: "npx", args: ["mcp-remote", "--header", "Authorization:${AUTH}", "--token", "${TOKEN}"] },
    ],
  ])("is not reported for %s", async (_what, host, entry) => {
    expect(await reportsOn(host, entry)).toEqual([]);
  });
});

test.each<[string, object, string]>([
  ["copilot-cli", { url: "https://${HOST_X}/sse", type: "sse" }, "it fills in no variables there"],
  ["zed", { command: "x", env: { A: "${API}" } }, "it fills in no variables there"],
  ["copilot-cli", { command: "x", env: { A: "{env:API}" } }, "write ${API}"],
])("the next step is what the host does in that field: %s %j", async (host, entry, nextStep) => {
  const text = JSON.stringify({ [KEYS.get(host) ?? "mcpServers"]: { s: entry } });
  const { diagnostics } = await parseHostFile({ host, file: "/home/u/config.json", text });
  expect(diagnostics).toMatchObject([
    { code: "foreign-variable", message: expect.stringContaining(nextStep) },
  ]);
});

test("Continue's own spelling is suggested for a foreign variable", async () => {
  const yaml = [
    "name: blocks",
    "version: 1.0.0",
    "schema: v1",
    "mcpServers:",
    "  - name: s",
    "    command: run",
    "    env:",
    "      API_TOKEN: ${API}",
  ].join("\n");
  const { diagnostics } = await parseHostFile({ host: "continue", file: "/home/u/config.yaml", text: yaml });
  expect(diagnostics).toMatchObject([{ code: "foreign-variable", suggestion: "${{ secrets.API }}" }]);
});
