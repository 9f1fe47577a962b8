import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { createServerResolver } from "../src/index.ts";
import { parse } from "./discovery/parsing.ts";
import { IN_FILE, refused, resolveHttp, signal } from "./resolution.ts";

const PLANTED = "planted-s3cr3t";

/** The diagnostics, their codes and the errors for a child process and a remote server with these values. */
async function findingsOn(host: string, values: { [name: string]: string }) {
  const remote = {
    type: host === "roo" || host === "cline" ? "sse" : "http",
    url: "https://host.example",
    headers: values,
  };
  const content = {
    [host === "crush" ? "mcp" : "mcpServers"]: { a: { command: "x", env: values }, b: remote },
  };
  const { servers, diagnostics } = await parse(content, { host, file: "/folder/own.json", env: {} });
  const resolve = createServerResolver({ env: {} });
  const faults = await Promise.all(
    servers.map(({ definition }) => resolve(definition, { signal }).catch((error: unknown) => error)),
  );
  const errors = faults.filter((fault) => fault instanceof Error);
  return { codes: diagnostics.map(({ code }) => code), diagnostics, errors };
}

const inspectFully = (found: unknown) => inspect(found, { depth: 20, showHidden: true });

describe("no default of a reference appears in a message", () => {
  test.each([
    "lm-studio",
    "junie",
    "warp",
    "inspector",
    "roo",
    "cline",
    "windsurf",
    "cursor",
    "claude-desktop",
  ])("if it is in another host's spelling: %s", async (host) => {
    const found = await findingsOn(host, {
      API: `Bearer \${TOKEN:-${PLANTED}}`,
      B: `\${env:B_1:-${PLANTED}}`,
    });
    expect(found.codes).toContain("foreign-variable");
    expect(found.diagnostics.map(({ message }) => message).join("\n")).toContain("${TOKEN:-…}");
    expect(inspectFully(found)).not.toContain(PLANTED);
  });

  test.each([
    ["roo", `\${env:API_KEY:-${PLANTED}}`, '"API_KEY:-…"'],
    ["cline", `\${env:API_KEY:${PLANTED}}`, '"API_KEY:…"'],
    ["windsurf", `\${env:API_KEY:?${PLANTED}}`, '"API_KEY:?…"'],
    ["cursor", `\${env:API_KEY-${PLANTED}}`, '"API_KEY-…"'],
    ["claude-code", `\${API_KEY-${PLANTED}}`, '"API_KEY-…"'],
    ["claude-code", `\${API_KEY=${PLANTED}}`, '"API_KEY=…"'],
  ])("if %s reads it as part of the name: %s", async (host, text, name) => {
    const found = await findingsOn(host, { API_KEY: text });
    expect(found.codes).toContain("unresolved-variable");
    expect(found.errors).not.toEqual([]);
    expect(inspectFully(found)).not.toContain(PLANTED);
    const unresolved = found.diagnostics.find(({ code }) => code === "unresolved-variable");
    expect(unresolved?.message).toContain(name);
    expect((found.errors[0] as Error).message).toContain(name);
    expect((found.errors[0] as Error).message).not.toContain("write a default");
  });

  test.each([
    ["vscode", `\${input:key:-${PLANTED}}`],
    ["windsurf", `\${file:/folder/key:-${PLANTED}}`],
  ])("if %s reads it as part of an input's or file's name: %s", async (host, text) => {
    const key = host === "vscode" ? "servers" : "mcpServers";
    const { servers } = await parse({ [key]: { s: { command: "x", env: { A: text } } } }, { host });
    const [server] = servers;
    if (!server) throw new Error("no server was found");
    const error = await createServerResolver({ env: {}, isAdmitted: () => true })(server.definition, {
      signal,
    }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "MCP_CONFIG_VARIABLE_MISSING" });
    expect(inspectFully(error)).not.toContain(PLANTED);
  });
});

test.each([
  ["omp", `!vault read -token=${PLANTED} x`],
  ["crush", `Bearer $(vault read -token=${PLANTED} x)`],
])("a command that %s would run does not appear in a message", async (host, text) => {
  const found = await findingsOn(host, { API_KEY: text });
  expect(found.errors).toHaveLength(2);
  expect(inspectFully(found)).not.toContain(PLANTED);
  expect((found.errors[0] as Error).message).toContain('a command in "env.API_KEY"');
});

test("real but unusual variable names are shown in full", async () => {
  const names = ["PROGRAMFILES(X86)", "npm.config", "org/team.KEY", "ÄNDERUNG"];
  const values = Object.fromEntries(names.map((name, index) => [`V${index}`, `\${env:${name}}`]));
  const { diagnostics } = await parse(
    { mcpServers: { s: { command: "x", env: values } } },
    { host: "cursor", env: {} },
  );
  for (const [index, name] of names.entries())
    expect(diagnostics[index]?.message).toContain(`"${name}" in "env.V${index}"`);
});

const TOKENS = [
  "sk-proj-AbC123xyz789AbC123xyz789",
  "ghp_AbC123xyz789AbC123xyz789AbC123xyz789",
  "figd_AbC123xyz789AbC123xyz789",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.AbC123",
  "xoxb-1234567890-AbC123xyz",
  "lin_api_AbC123xyz789AbC123xyz789",
  "Bearer AbC123xyz789AbC123xyz789",
];

const codex = (entry: object) =>
  parse({ mcp_servers: { s: { url: "https://h/", ...entry } } }, { host: "codex", env: {} });

/** The part of a token that must not be in a message. */
const keyOf = (token: string) => token.slice(-8);

describe.each(TOKENS)("a credential in place of a variable's name: %s", (token) => {
  test.each([
    [{ bearer_token_env_var: token }, "/mcp_servers/s/bearer_token_env_var"],
    [{ env_http_headers: { "X-Api-Key": token } }, "/mcp_servers/s/env_http_headers/X-Api-Key"],
  ])("is reported, and not shown, in %j", async (entry, pointer) => {
    const { diagnostics } = await codex(entry);
    expect(diagnostics).toMatchObject([
      { code: "literal-secret", pointer },
      { code: "unresolved-variable", pointer },
    ]);
    expect(inspect(diagnostics)).not.toContain(keyOf(token));
  });

  test("is not shown by the error for a missing variable", async () => {
    const references = token.includes(" ") ? [] : [{ headers: { A: `\${${token}}` } }];
    for (const written of [{ bearerTokenEnv: token }, ...references]) {
      const error = await refused(resolveHttp({ definedIn: IN_FILE, ...written }, { env: {} }));
      expect(error.code).toBe("MCP_CONFIG_VARIABLE_MISSING");
      expect(inspect(error)).not.toContain(keyOf(token));
    }
  });
});

test.each(["S3_KEY2_V1", "npm_config_registry", "A_VERY_LONG_NAME_OF_TOKEN_2", "apiKeyOfService"])(
  "a name is no credential, however it looks: %s",
  async (name) => {
    const { diagnostics } = await codex({ bearer_token_env_var: name });
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ["unresolved-variable", `Server "s": "${name}" in "bearer_token_env_var" is not set.`],
    ]);
  },
);
