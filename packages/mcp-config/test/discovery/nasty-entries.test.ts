import { describe, expect, test } from "vitest";
import { createServerResolver, type ParsedServer } from "../../src/index.ts";
import { parse } from "./parsing.ts";

const signal = new AbortController().signal;

async function written(entry: unknown) {
  const { servers, diagnostics } = await parse({ mcpServers: { s: entry, ok: { command: "x" } } });
  expect(servers.map(({ name }) => name)).toContain("ok");
  return { server: servers.find(({ name }) => name === "s")?.written, diagnostics };
}

describe("an unusable entry is dropped alone", () => {
  test.each<[string, unknown]>([
    ["null", null],
    ["a string", "npx"],
    ["an array", ["npx"]],
    ["a command that is not a string", { command: ["npx"] }],
    ["args as a string", { command: "npx", args: "-y x" }],
    ["args with null", { command: "npx", args: ["a", null] }],
    ["env as an array", { command: "npx", env: ["A=1"] }],
    ["a url that is not a string", { type: "http", url: 1 }],
    ["an invalid url", { type: "http", url: "not a url" }],
    ["a url with the scheme file", { type: "http", url: "file:///etc/passwd" }],
    ["both command and url", { command: "npx", url: "https://h" }],
    ["an unknown type", { type: "carrier-pigeon", url: "https://h" }],
    ["an empty command", { command: "" }],
    ["an empty object", {}],
    ["a url without the type that the host requires", { url: "https://h" }],
  ])("%s", async (_what, entry) => {
    const { server, diagnostics } = await written(entry);
    expect(server).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", severity: "error", server: "s" }]);
    expect(diagnostics[0]).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
  });

  test.each(["", "a}b", "a\u0007b", "x".repeat(513)])("the name %j", async (name) => {
    const { names, diagnostics } = await parse({
      mcpServers: { [name]: { command: "x" }, ok: { command: "x" } },
    });
    expect(names).toEqual(["ok"]);
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", server: name }]);
  });
});

describe("an optional field with an odd value", () => {
  test("in env a number or boolean becomes a string, null is kept, and an object is an error", async () => {
    const { server, diagnostics } = await written({
      command: "x",
      env: { PORT: 3000, ON: true, N: null, O: {} },
    });
    expect(server?.env).toEqual({ PORT: "3000", ON: "true", N: null });
    expect(diagnostics).toMatchObject([
      { code: "invalid-field", severity: "error", pointer: "/mcpServers/s/env/O" },
    ]);
  });

  test("a variable set to null in env is not inherited", async () => {
    const { servers } = await parse({ mcpServers: { s: { command: "x", env: { HOME: null } } } });
    const resolve = createServerResolver({ env: { HOME: "/home/x", PATH: "/bin" } });
    const resolved = await resolve((servers[0] as ParsedServer).definition, { signal });
    expect(resolved).toMatchObject({ env: { PATH: "/bin" } });
    expect(resolved).not.toHaveProperty("env.HOME");
  });

  test("a number too large for a timeout drops only that field", async () => {
    const large = "9007199254740993";
    const text = `large = ${large}\n[mcp_servers.s]\ncommand = "x"\ntool_timeout_sec = ${large}\nenv = { A = "a", B = ${large} }\n`;
    const { servers, diagnostics } = await parse(text, { host: "codex", file: "/folder/config.toml" });
    expect(servers.map(({ written }) => written)).toMatchObject([{ command: "x", env: { A: "a" } }]);
    expect(servers[0]?.written.timeoutMs).toBeUndefined();
    expect(diagnostics.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["invalid-field", "/mcp_servers/s/tool_timeout_sec"],
      ["invalid-field", "/mcp_servers/s/env/B"],
    ]);
  });

  test("a timeout given as text is ignored and reported", async () => {
    const { server, diagnostics } = await written({ command: "x", timeout: "30s" });
    expect(server).toMatchObject({ command: "x", enabled: true });
    expect(server?.timeoutMs).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: "invalid-field", severity: "warning" }]);
  });

  test.each([
    ["enabled", "true"],
    ["disabled", "false"],
    ["disabled", 1],
  ])("%s set to %j is ambiguous and disables the server", async (field, value) => {
    const { server, diagnostics } = await written({ command: "x", [field]: value });
    expect(server).toMatchObject({ enabled: false });
    expect(diagnostics).toMatchObject([{ code: "invalid-field" }]);
  });

  test.each(["enabled", "disabled", "cwd", "timeout"])(
    "%s set to null is like no such field",
    async (field) => {
      const { server, diagnostics } = await written({ command: "x", [field]: null });
      expect([server, diagnostics]).toEqual([{ transport: "stdio", command: "x", enabled: true }, []]);
    },
  );

  test("an unreadable tool list disables the server instead of allowing every tool", async () => {
    const { servers, told } = await parse(
      { mcpServers: { s: { command: "x", excludeTools: "rm" } } },
      { host: "gemini" },
    );
    expect(servers[0]?.written).toMatchObject({ enabled: false });
    expect(servers[0]?.written.tools).toBeUndefined();
    expect(told).toEqual(["invalid-field: s"]);
  });
});

describe("variables", () => {
  test("[threat T14] that refer to each other are filled in once, and never from a child process's own env", async () => {
    const entry = {
      command: "x",
      args: ["${A}", "${B}", "${A:-${B}}", "${", "${}"],
      env: { A: "own", B: "own" },
    };
    const { servers } = await parse({ mcpServers: { s: entry } });
    const resolve = createServerResolver({ env: { A: "${B}", B: "${A}" } });
    const resolved = await resolve((servers[0] as ParsedServer).definition, { signal });
    expect(resolved).toMatchObject({ args: ["${B}", "${A}", "${B}", "${", "${}"] });
  });

  test("that are unset are reported when env is given", async () => {
    const entry = { command: "${CMD}", args: ["${A:-x}", "${SET}"] };
    const { told, diagnostics } = await parse({ mcpServers: { s: entry } }, { env: { SET: "" } });
    expect(told).toEqual(["unresolved-variable: s"]);
    expect(diagnostics[0]?.message).toContain('"CMD" in "command"');
  });
});

test("literal credentials are reported without their values", async () => {
  const remote = {
    type: "http",
    url: "https://user:planted-1@host/mcp?api_key=planted-2",
    headers: {
      Authorization: "Bearer planted-3",
      Cookie: "planted-4",
      "X-Trace": "trace",
      "X-Api-Key": "${KEY}",
    },
  };
  const local = {
    command: "x",
    args: [
      "--token",
      "planted-5",
      "--api-key=planted-6",
      "--port",
      "8080",
      "--dsn",
      "postgres://localhost/db",
    ],
    env: {
      OPENAI_API_KEY: "planted-7",
      PGURL: "postgres://u:planted-8@host/db",
      SAFE: "safe",
      LOG: "debug",
      AUTH: "false",
      GITHUB_TOKEN: "${GITHUB_TOKEN}",
    },
  };
  const { diagnostics } = await parse({ mcpServers: { remote, local } });
  const found = diagnostics.filter(({ code }) => code === "literal-secret");
  expect(found.map(({ pointer }) => pointer)).toEqual([
    "/mcpServers/remote/headers/Authorization",
    "/mcpServers/remote/headers/Cookie",
    "/mcpServers/remote/url",
    "/mcpServers/local/env/OPENAI_API_KEY",
    "/mcpServers/local/env/PGURL",
    "/mcpServers/local/args/1",
    "/mcpServers/local/args/2",
  ]);
  expect(diagnostics).toHaveLength(found.length);
  expect(JSON.stringify(diagnostics)).not.toContain("planted");
});
