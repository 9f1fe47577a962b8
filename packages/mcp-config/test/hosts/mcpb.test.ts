import { sep } from "node:path";
import { describe, expect, test } from "vitest";
import { createServerResolver, type ServerResolverOptions } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

const signal = new AbortController().signal;
const file = "/bundles/files/manifest.json";

/** Resolves the server of a manifest whose arguments and variables refer to its user_config options. */
async function resolve(
  launch: { readonly args?: readonly string[]; readonly env?: { readonly [name: string]: string } },
  asked: object,
  options: Pick<ServerResolverOptions, "inputs"> = {},
) {
  const server = { type: "node", mcp_config: { command: "node", ...launch } };
  const { servers } = await parse({ name: "b", server, user_config: asked }, { host: "mcpb", file });
  const resolver = createServerResolver({ env: { HOME: "/home/u", USERPROFILE: "/home/u" }, ...options });
  return resolver(servers[0]?.definition as never, { signal });
}

describe("an unanswered user_config option of an MCPB bundle", () => {
  test.each<[string, object, readonly string[]]>([
    ["a number", { type: "number", default: 3 }, ["3"]],
    ["a boolean", { type: "boolean", default: false }, ["false"]],
    ["a string", { type: "string", default: "eu" }, ["eu"]],
    ["a required string", { type: "string", required: true, default: "eu" }, ["eu"]],
    ["a directory", { type: "directory", default: "${HOME}/x${/}${OTHER}" }, [`/home/u/x${sep}\${OTHER}`]],
    [
      "several directories",
      { type: "directory", multiple: true, default: ["${HOME}/Desktop", "/b"] },
      ["/home/u/Desktop", "/b"],
    ],
    ["an optional value", { type: "string" }, [""]],
    ["several optional values", { type: "file", multiple: true }, []],
  ])("resolves to its default, or to nothing: %s", async (_what, option, expected) => {
    const resolved = await resolve({ args: ["--k", "${user_config.k}", "end"] }, { k: option });
    expect(resolved).toMatchObject({ args: ["--k", ...expected, "end"], secrets: [] });
  });

  test("resolves inside a longer argument and in env", async () => {
    const launch = {
      args: ["--n=${user_config.n}"],
      env: { DIRS: "${user_config.dirs}", O: "${user_config.o}" },
    };
    const asked = { n: { default: 3 }, dirs: { multiple: true, default: ["${DESKTOP}"] }, o: {} };
    const resolved = await resolve(launch, asked);
    expect(resolved).toMatchObject({
      args: ["--n=3"],
      env: { DIRS: expect.stringMatching(/u.Desktop$/) },
    });
    expect(resolved).not.toHaveProperty("env.O");
    const args = ["${user_config.o}", "--o=${user_config.o}", "--o", "${user_config.o}", "end"];
    expect(await resolve({ args }, asked)).toMatchObject({ args: ["--o=", "--o", "", "end"] });
    const inputs = { "user_config.o": "1" };
    expect(await resolve({ args }, asked, { inputs })).toMatchObject({
      args: ["1", "--o=1", "--o", "1", "end"],
    });
  });

  test.each([
    ["is required", { k: { type: "string", required: true } }],
    ["is not declared", {}],
    ["has a malformed declaration", { k: "yes" }],
  ])("fails the server if it %s", async (_what, asked) => {
    await expect(resolve({ args: ["${user_config.k}"] }, asked)).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
      message: expect.stringContaining('"user_config.k" in "args[0]"'),
    });
  });

  test("keeps its default in the definition, not in the written entry", async () => {
    const content = {
      name: "b",
      server: { mcp_config: { command: "x" } },
      user_config: { n: { default: 3 } },
    };
    const { servers, diagnostics } = await parse(content, { host: "mcpb", file });
    expect(diagnostics).toEqual([]);
    expect(servers[0]?.written).not.toHaveProperty("extra");
    expect(servers[0]?.definition).toMatchObject({ extra: { user_config: { n: { default: 3 } } } });
  });
});

describe("an answer to a user_config option of an MCPB bundle", () => {
  const asked = { k: { type: "directory", multiple: true, default: ["/default"] } };

  test("replaces the default and is reported as a secret", async () => {
    const inputs = { "user_config.k": ["/planted/a", "${HOME}/b"] };
    const resolved = await resolve({ args: ["-", "${user_config.k}"] }, asked, { inputs });
    expect(resolved).toMatchObject({ args: ["-", "/planted/a", "${HOME}/b"] });
    expect(resolved.secrets).toEqual(expect.arrayContaining(["/planted/a", "${HOME}/b"]));
    const none = await resolve({ args: ["-", "${user_config.k}"] }, asked, {
      inputs: { "user_config.k": [] },
    });
    expect(none).toMatchObject({ args: ["-"] });
  });

  test("with several values is refused inside a string, and the error quotes none", async () => {
    const inputs = { "user_config.k": ["/planted/a", "/planted/b"] };
    for (const launch of [{ args: ["--k=${user_config.k}"] }, { env: { K: "${user_config.k}" } }]) {
      const attempt = resolve(launch, asked, { inputs });
      await expect(attempt).rejects.toMatchObject({
        code: "MCP_CONFIG_INVALID",
        phase: "resolve",
        message: expect.stringMatching(/takes one answer to "user_config.k", but there are 2; give one\./),
      });
      await expect(attempt).rejects.not.toMatchObject({ message: expect.stringContaining("planted") });
    }
    const one = await resolve({ args: ["--k=${user_config.k}"] }, asked, {
      inputs: { "user_config.k": ["/a"] },
    });
    expect(one).toMatchObject({ args: ["--k=/a"] });
  });
});

describe("an MCPB bundle without a usable launch configuration", () => {
  test.each<[string, object, string]>([
    [
      "of type node",
      { type: "node", entry_point: "x.js" },
      'it has no "mcp_config", which says how it is started; add',
    ],
    [
      "of type uv, which may omit it",
      { type: "uv", entry_point: "src/server.py" },
      'Add "mcp_config": { "command": "uv", "args": ["run", "--directory", "${__dirname}", "src/server.py"] }.',
    ],
    ["with a list in its place", { mcp_config: [] }, '"mcp_config" must be an object, not an array'],
    ["without a command", { mcp_config: { args: [] } }, 'it has no "command"; add "command".'],
  ])("is refused with advice: %s", async (_what, server, text) => {
    const { names, diagnostics } = await parse({ name: "b", server }, { host: "mcpb", file });
    expect([names, diagnostics.map(({ code }) => code)]).toEqual([[], ["ServerConfigError"]]);
    expect(diagnostics[0]?.message).toContain(text);
  });
});
