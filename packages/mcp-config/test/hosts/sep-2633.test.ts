import { describe, expect, test } from "vitest";
import { createServerResolver, type ServerResolverOptions } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

const signal = new AbortController().signal;

async function resolve(value: string, options: ServerResolverOptions, scope = "user", env = {}) {
  const entry = { type: "streamable-http", url: "https://h.example", headers: { V: value } };
  const { servers } = await parse(
    { mcpServers: { s: entry } },
    { host: "sep-2633", file: "/folder/mcp.json" },
  );
  const definition = servers[0]?.definition as never as { definedIn: object };
  const definedIn = { ...definition.definedIn, scope };
  return createServerResolver({ isAdmitted: () => true, ...options })(
    { ...definition, env, definedIn } as never,
    {
      signal,
    },
  );
}

describe("a chain of SEP-2633 sources", () => {
  const env = { A: "a", EMPTY: "" };

  test.each([
    ["${env:A | value:d}", "a"],
    ["${env:NOPE | value:d}", "d"],
    ["${env:NOPE | env:A | value:d}", "a"],
    ["${env:NOPE|env:A}", "a"],
    ["${op://v/i | value:dd}", "dd"],
    ["${op://v/i | env:A | value:d}", "a"],
    ["${value:lit}", "lit"],
    ["${value:lit | env:A}", "lit"],
    ["${env:NOPE | value: }", ""],
    ["${env:EMPTY | value:d}", "d"],
    ["${env:EMPTY | env:NOPE | env:A | value:d}", "a"],
    ["${env:EMPTY | env:NOPE}", ""],
    ["${env:EMPTY}", ""],
    ["<${env:NOPE | value:x} ${env:A}>", "<x a>"],
    ["${A | value:d}", "${A | value:d}"],
  ])("takes the first source with a value: %s", async (value, expected) => {
    expect(await resolve(value, { env })).toMatchObject({ headers: { V: expected } });
  });

  test("uses inputs for external sources, in chain order", async () => {
    const options = { env, inputs: { "op://v/i": "told" } };
    expect(await resolve("${op://v/i | env:A}", options)).toMatchObject({ headers: { V: "told" } });
    expect(await resolve("${env:A | op://v/i}", options)).toMatchObject({ headers: { V: "a" } });
    expect(await resolve("${env:NOPE | input:pin}", { env, inputs: { pin: "1" } })).toMatchObject({
      headers: { V: "1" },
    });
    const resolved = await resolve("${env:NOPE | op://v/i | value:d}", options);
    expect(resolved).toMatchObject({ headers: { V: "told" }, secrets: ["told"] });
  });

  test.each(["${env:NOPE}", "${env:NOPE | op://v/i}", "${op://v/i | env:NOPE}"])(
    "fails the server if no source has a value: %s",
    async (value) => {
      await expect(resolve(value, { env })).rejects.toMatchObject({ code: "MCP_CONFIG_VARIABLE_MISSING" });
    },
  );

  test("[threat T13] gives no credential's variable to a project's server", async () => {
    const options = { env: { API_KEY: "planted" }, projectVariables: ["API_KEY"] };
    await expect(resolve("${env:NOPE | env:API_KEY}", options, "project")).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
    const fallback = await resolve("${env:NOPE | env:API_KEY | value:d}", options, "project");
    expect(fallback).toMatchObject({ headers: { V: "d" } });
    const own = { X: "${env:NOPE | env:API_KEY}" };
    await expect(resolve("${env:X}", options, "project", own)).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
  });

  test("is reported as unresolved only if no source can have a value", async () => {
    const told = async (value: string) => {
      const entry = { type: "stdio", command: "x", env: { V: value } };
      return (await parse({ mcpServers: { s: entry } }, { host: "sep-2633", env })).told;
    };
    expect(await told("${env:NOPE | env:A}")).toEqual([]);
    expect(await told("${op://v/i | value:d}")).toEqual([]);
    expect(await told("${env:NOPE | env:NEITHER}")).toEqual(["unresolved-variable: s"]);
  });
});

test.each([
  ["stdio", { command: "x" }, ["url", "headers", "oauth"]],
  ["sse", { url: "https://h" }, ["command", "args", "env"]],
  ["streamable-http", { url: "https://h" }, ["command", "args", "env"]],
])("a SEP-2633 server of type %s is refused with a field of another type", async (type, way, fields) => {
  const values: { readonly [field: string]: unknown } = { url: "https://h", command: "x", args: ["x"] };
  for (const field of fields) {
    const entries = { s: { type, ...way, [field]: values[field] ?? { a: "x" } }, ok: { type, ...way } };
    const { names, diagnostics } = await parse({ mcpServers: entries }, { host: "sep-2633" });
    expect(names).toEqual(["ok"]);
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", pointer: `/mcpServers/s/${field}` }]);
  }
});
