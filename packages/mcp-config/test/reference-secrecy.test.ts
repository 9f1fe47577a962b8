import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { createServerResolver } from "../src/index.ts";
import { parse } from "./discovery/parsing.ts";
import { signal } from "./resolution.ts";

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
