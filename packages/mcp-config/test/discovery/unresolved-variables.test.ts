import { describe, expect, test } from "vitest";
import type { ParseHostFileOptions } from "../../src/index.ts";
import { useTemporaryFolder } from "../temporary-folder.ts";
import { parse } from "./parsing.ts";

const _folderWith = useTemporaryFolder();

/** The diagnostics for unset variables: the message's subject and the pointer. */
async function unresolved(entry: unknown, options: Partial<ParseHostFileOptions> = {}, key = "mcpServers") {
  const { diagnostics } = await parse(
    { [key]: { s: entry } },
    { env: { SET: "x" }, platform: "linux", ...options },
  );
  const found = diagnostics.filter(({ code }) => code === "unresolved-variable");
  return found.map(({ message, pointer }) => [/: (.*) is not set/.exec(message)?.[1], pointer]);
}

describe("an unset variable is reported at the place of its reference", () => {
  test("in every field", async () => {
    const entry = {
      command: "x",
      args: ["${SET}", "${env:A}", "${env:B}-${env:C}"],
      env: { V: "${env:D}" },
      envFile: "${env:E}/.env",
    };
    expect(await unresolved({ ...entry, env: {} }, { host: "cursor" })).toEqual([
      ['"E" in "envFile"', "/mcpServers/s/envFile"],
      ['"A" in "args.1"', "/mcpServers/s/args/1"],
      ['"B" in "args.2"', "/mcpServers/s/args/2"],
      ['"C" in "args.2"', "/mcpServers/s/args/2"],
    ]);
    expect(await unresolved({ command: "x", env: entry.env }, { host: "cursor" })).toEqual([
      ['"D" in "env.V"', "/mcpServers/s/env/V"],
    ]);
  });

  test("with the host's own field name and pointer, in reshaped entries too", async () => {
    const transport = { type: "sse", url: "https://h", headers: { Authorization: "Bearer ${env:T}" } };
    expect(await unresolved({ transport }, { host: "cline" })).toEqual([
      ['"T" in "transport.headers.Authorization"', "/mcpServers/s/transport/headers/Authorization"],
    ]);
    const local = { type: "local", command: ["x", "{env:A}"], environment: { V: "{env:B}" } };
    expect(await unresolved(local, { host: "opencode" }, "mcp")).toEqual([
      ['"A" in "command.1"', "/mcp/s/command/1"],
      ['"B" in "environment.V"', "/mcp/s/environment/V"],
    ]);
  });

  test("for a reference with its own error message, whether unset or empty", async () => {
    const entry = { type: "http", url: "https://h/${SET:?why}", headers: { X: "${A:?need it}", Y: "$A" } };
    for (const env of [{ SET: "x" }, { SET: "x", A: "" }]) {
      const found = await unresolved(entry, { host: "crush", env }, "mcp");
      expect(found[0]).toEqual(['"A" in "headers.X"', "/mcp/s/headers/X"]);
    }
    const set = { SET: "x", A: "a" };
    expect(await unresolved(entry, { host: "crush", env: set }, "mcp")).toEqual([]);
  });

  test("in OAuth settings and in an API key that becomes a header", async () => {
    const entry = { type: "http", url: "https://h", oauth: { clientId: "${SET}", clientSecret: "${S}" } };
    expect(await unresolved(entry, { host: "jackfield" })).toEqual([
      ['"S" in "oauth.clientSecret"', "/mcpServers/s/oauth/clientSecret"],
    ]);
    const auth = { url: "https://h", auth: { CLIENT_ID: "${env:C}" } };
    expect(await unresolved(auth, { host: "cursor" })).toEqual([
      ['"C" in "auth.CLIENT_ID"', "/mcpServers/s/auth/CLIENT_ID"],
    ]);
    const list = { mcpServers: [{ name: "s", url: "https://h", apiKey: "${{ secrets.K }}" }] };
    const { diagnostics } = await parse(list, { host: "continue", env: {} });
    expect(diagnostics).toMatchObject([{ code: "unresolved-variable", pointer: "/mcpServers/0/apiKey" }]);
  });
});

describe("an unset variable that an entry names for a header is reported", () => {
  const text = [
    "[mcp_servers.s]",
    'url = "https://h"',
    'bearer_token_env_var = "TOKEN"',
    'env_http_headers = { X-Key = "KEY", X-Set = "SET" }',
  ].join("\n");
  const reportsWith = async (env: Record<string, string>) => {
    const { diagnostics } = await parse(text, { host: "codex", file: "/home/u/config.toml", env });
    return diagnostics.map(({ code, message, pointer, line }) => [
      code,
      /: (.*) is not set/.exec(message)?.[1],
      pointer,
      line,
    ]);
  };

  test("under the host's own field names", async () => {
    expect(await reportsWith({ SET: "x" })).toEqual([
      [
        "unresolved-variable",
        '"KEY" in "env_http_headers.X-Key"',
        "/mcp_servers/s/env_http_headers/X-Key",
        4,
      ],
      ["unresolved-variable", '"TOKEN" in "bearer_token_env_var"', "/mcp_servers/s/bearer_token_env_var", 3],
    ]);
    expect(await reportsWith({ SET: "x", KEY: "", TOKEN: "" })).toHaveLength(2);
    expect(await reportsWith({ SET: "x", KEY: "k", TOKEN: "t" })).toEqual([]);
  });

  test("unless the entry's own env has it", async () => {
    const entry = { url: "https://h", bearer_token_env: "T" };
    expect(await unresolved(entry, { host: "mcporter" })).toEqual([
      ['"T" in "bearer_token_env"', "/mcpServers/s/bearer_token_env"],
    ]);
    expect(await unresolved({ ...entry, env: { T: "t" } }, { host: "mcporter" })).toEqual([]);
  });
});

describe("a variable that the resolver can find is not reported", () => {
  test("in the entry's own env, for fields where its host looks there", async () => {
    const remote = {
      type: "http",
      url: "https://h/${P}",
      headers: { A: "Bearer ${T}" },
      env: { T: "t", P: "p" },
    };
    expect(await unresolved(remote, { host: "claude-code" })).toEqual([]);
    const local = { command: "x", args: ["${Q}"], env: { Q: "1" } };
    expect(await unresolved(local, { host: "jackfield" })).toEqual([]);
    expect(await unresolved(local, { host: "claude-code" })).toEqual([
      ['"Q" in "args.0"', "/mcpServers/s/args/0"],
    ]);
    const sibling = { command: "x", env: { Q: "1", R: "${Q}" } };
    expect(await unresolved(sibling, { host: "jackfield" })).toEqual([
      ['"Q" in "env.R"', "/mcpServers/s/env/R"],
    ]);
  });

  test("in an envFile, except for its own path and fields where the host does not look there", async () => {
    const entry = { command: "x", args: ["${F}"], env: { G: "${F}" }, envFile: "${H}/.env" };
    expect(await unresolved(entry, { host: "jackfield" })).toEqual([
      ['"H" in "envFile"', "/mcpServers/s/envFile"],
    ]);
    const local = { command: "x", args: ["${env:F}"], env: { G: "${env:F}" }, envFile: ".env" };
    expect(await unresolved(local, { host: "cursor" })).toEqual([
      ['"F" in "args.0"', "/mcpServers/s/args/0"],
    ]);
  });
});

test("a variable that a project's field may not see is reported only if it is unset", async () => {
  const headers = { Authorization: "Bearer ${SET_TOKEN}", "X-A": "${UNSET_TOKEN}", "X-B": "${OWN_TOKEN}" };
  const entry = { type: "http", url: "https://h.example", headers, env: { OWN_TOKEN: "x" } };
  const options = { host: "kiro", file: "/p/.kiro/settings/mcp.json", env: { SET_TOKEN: "x" } };
  expect(await unresolved(entry, options)).toEqual([
    ['"UNSET_TOKEN" in "headers.X-A"', "/mcpServers/s/headers/X-A"],
  ]);
});
