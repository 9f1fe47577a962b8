import { describe, expect, test } from "vitest";
import { variablesOf } from "../../src/hosts/host-dialects.ts";
import { createServerResolver } from "../../src/index.ts";
import { references } from "../../src/resolve/variables.ts";
import { parse } from "../discovery/parsing.ts";

/** No project has a file of this name. */
const OWN_FILE = "/folder/own.json";
const signal = new AbortController().signal;

/** What each reference in a value of `env` or a header is taken for. */
function readingOf(text: string, host: string, isValue = true): string[] {
  return Array.from(references(text, variablesOf(host), isValue), ({ reference }) =>
    [reference.kind, reference.name, reference.defaultText].filter((part) => part !== undefined).join(" "),
  );
}

test.each<[string, string, string[]]>([
  ["windsurf", "${env:A} ${file:/p} ${A}", ["environment A", "file /p"]],
  ["zed", "${A} $A ${env:A}", []],
  ["copilot-cli", "$A ${B} ${C:-c}", ["environment A", "environment B", "environment C c"]],
  ["cline", "${env: A } ${A}", ["environment A"]],
  ["roo", "${env:A} ${workspaceFolder} ${userHome}", ["environment A", "place workspaceFolder"]],
  ["continue", "${{ secrets.A }} ${{inputs.b}} ${C} ${{ other.D }}", ["environment A", "input b"]],
  ["amp", "${A} $A", ["environment A"]],
  ["goose", "${A} $B ${ C } ${A:-x} ${env:A}", ["environment A", "environment B", "environment C"]],
  ["kiro", "${A} $A", ["environment A"]],
  ["lm-studio", "${A}", []],
  ["junie", "${A}", []],
  ["warp", "${A}", []],
  [
    "crush",
    "$A ${B} ${C:-c} ${D:?} ${E:?set it} $(cat f)",
    ["environment A", "environment B", "environment C c", "environment D", "environment E", "command cat f"],
  ],
  ["omp", "${A} ${B:-b} $C", ["environment A", "environment B b"]],
  ["omp", "!pass show a", ["command pass show a"]],
  ["omp", "API_KEY", ["environment API_KEY"]],
  ["omp", "two words", []],
  ["mcporter", "${A} ${B:-b} $env:C $D", ["environment A", "environment B b", "environment C"]],
  ["inspector", "${A}", []],
  [
    "agent-plugins",
    "${PLUGIN_ROOT} ${PLUGIN_DATA} ${A}",
    ["place PLUGIN_ROOT", "place PLUGIN_DATA", "environment A"],
  ],
  [
    "mcpb",
    "${__dirname}${/}${user_config.k} ${HOME}",
    ["place __dirname", "place /", "input user_config.k", "place HOME"],
  ],
  ["registry", "{tenant} {} ${A}", ["input tenant", "input A"]],
  ["sep-2633", "${env:A | op://x/y | value:d} ${op://x/y} ${A}", ["environment A d", "input op://x/y"]],
])("%s recognises the references in the value %j", (host, text, expected) => {
  expect(readingOf(text, host)).toEqual(expected);
});

test.each([
  ["copilot-cli", "$A"],
  ["omp", "!command"],
  ["omp", "API_KEY"],
])("%s recognises %j only in values of env and headers", (host, text) => {
  expect(readingOf(text, host, false)).toEqual([]);
});

describe("an unset variable with missingVariable host", () => {
  test.each([
    ["crush", "$A|${B:-b}", "|b"],
    ["cline", "${env:A}|b", "${env:A}|b"],
    ["roo", "${env:A}|b", "|b"],
    ["omp", "${A}|b", "${A}|b"],
    ["omp", "API_KEY", "API_KEY"],
  ])("is resolved as %s does: %j", async (host, written, expected) => {
    const entry = { type: "sse", url: "https://host.example", headers: { H: written } };
    const { servers } = await parse(
      { [host === "crush" ? "mcp" : "mcpServers"]: { s: entry } },
      { host, file: OWN_FILE },
    );
    const resolve = createServerResolver({ env: {}, missingVariable: "host" });
    const resolved = await resolve(servers[0]?.definition as never, { signal });
    expect(resolved).toMatchObject({ headers: { H: expected } });
  });

  test("fails in Crush if it is required", async () => {
    const content = { mcp: { s: { type: "stdio", command: "x", env: { A: "${A:?set it}" } } } };
    const { servers } = await parse(content, { host: "crush" });
    const resolve = createServerResolver({ env: {}, missingVariable: "host" });
    await expect(resolve(servers[0]?.definition as never, { signal })).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
  });
});

test("an oh-my-pi value that is a variable name is a reference, not a literal secret", async () => {
  const entry = (value: string) => ({
    type: "http",
    url: "https://host.example",
    headers: { "X-Key": value },
  });
  const content = { mcpServers: { named: entry("MY_KEY"), written: entry("abc-def") } };
  const { told, servers } = await parse(content, { host: "omp", file: OWN_FILE });
  expect(told).toEqual(["literal-secret: written"]);
  const resolve = createServerResolver({ env: { MY_KEY: "value" } });
  const resolved = await resolve(servers[0]?.definition as never, { signal });
  expect(resolved).toMatchObject({
    headers: { "X-Key": "value" },
    secrets: expect.arrayContaining(["value"]),
  });
});
