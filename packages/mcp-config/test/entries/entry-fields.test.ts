import { describe, expect, test } from "vitest";
import { parse } from "../discovery/parsing.ts";
import { read, refused } from "./entry-reading.ts";

describe("an entry is refused with its place and a hint", () => {
  test.each<[string, unknown, string, string]>([
    ["null", null, "", "must be an object, not null"],
    ["a string", "npx", "", "must be an object, not a string"],
    ["an array", ["npx"], "", "must be an object, not an array"],
    ["an empty object", {}, "", 'neither "command" nor "url"; add "command"'],
    ["only a type", { type: "stdio" }, "", 'neither "command" nor "url"'],
    [
      "command and url",
      { command: "npx", url: "https://h" },
      "/url",
      'both "command" and "url"; keep the one you mean',
    ],
    ["a server in a file", { server: {} }, "", 'neither "command" nor "url"'],
    [
      "a command that is not a string",
      { command: ["npx"] },
      "/command",
      '"command" must be a string, not an array',
    ],
    ["a command that is null", { command: null }, "/command", "not null"],
    ["an empty command", { command: "" }, "/command", '"command" is empty'],
    ["a command with NUL", { command: "a\0b" }, "/command", "NUL"],
    [
      "args as a string",
      { command: "npx", args: "-y" },
      "/args",
      '"args" must be an array of strings, not a string',
    ],
    [
      "args with null",
      { command: "npx", args: ["a", null] },
      "/args/1",
      '"1" in "args" must be a string, not null',
    ],
    ["args with a hole", { command: "npx", args: new Array(1) }, "/args/0", "must be a string"],
    [
      "env as an array",
      { command: "npx", env: ["A=1"] },
      "/env",
      '"env" must be an object of strings, not an array',
    ],
    [
      "a number in env",
      { command: "npx", env: { PORT: 1 } },
      "/env/PORT",
      '"PORT" in "env" must be a string, not a number; put it in quotes',
    ],
    ["a boolean in env", { command: "npx", env: { ON: true } }, "/env/ON", "not a boolean; put it in quotes"],
    [
      "an env name with =",
      { command: "npx", env: { "A=B": "1" } },
      "/env/A=B",
      "not allowed in a variable name",
    ],
    [
      "an env name with a value",
      { command: "npx", env: { "TOKEN=planted": "1" } },
      "/env",
      '"TOKEN…" in "env"',
    ],
    ["an empty env name", { command: "npx", env: { "": "1" } }, "/env/", "is not a valid variable name"],
    ["cwd as a number", { command: "npx", cwd: 1 }, "/cwd", '"cwd" must be a string'],
    ["a number in headers", { url: "https://h", headers: { "X-A": 1 } }, "/headers/X-A", "put it in quotes"],
    [
      "a header name with a space",
      { url: "https://h", headers: { "X A": "1" } },
      "/headers/X A",
      "not a valid header name",
    ],
    [
      "a header name with a line break",
      { url: "https://h", headers: { "X\r\nY": "1" } },
      "/headers/X\r\nY",
      "not a valid header name",
    ],
    ["a url with another scheme", { url: "file:///etc/passwd" }, "/url", "starts with http:// or https://"],
    ["a url without a scheme", { url: "host/mcp" }, "/url", "starts with http:// or https://"],
    ["a url without a host", { url: "https://" }, "/url", "complete URL"],
    ["a url that is not a string", { url: 1 }, "/url", "must be a string"],
    [
      "an unknown type",
      { type: "ws", url: "https://h" },
      "/type",
      '"stdio", "http", "streamable-http", "streamableHttp", "sse"',
    ],
    ["a type in upper case", { type: "HTTP", url: "https://h" }, "/type", "must be one of"],
    [
      "a type named like a prototype member",
      { type: "constructor", url: "https://h" },
      "/type",
      "must be one of",
    ],
    ["a type that is not a string", { type: 1, command: "npx" }, "/type", '"type" must be a string'],
    ["type stdio with a url", { type: "stdio", url: "https://h" }, "/type", 'goes with "command"'],
    ["type http with a command", { type: "http", command: "npx" }, "/type", 'goes with "url"'],
    [
      "enabled as a string",
      { command: "npx", enabled: "false" },
      "/enabled",
      "must be true or false, not a string",
    ],
    ["disabled as a number", { command: "npx", disabled: 1 }, "/disabled", "must be true or false"],
    ["lazy as a string", { command: "npx", lazy: "yes" }, "/lazy", "must be true or false"],
    [
      "trustAnnotations as a string",
      { command: "npx", trustAnnotations: "no" },
      "/trustAnnotations",
      "must be true or false",
    ],
    ["an unknown era", { command: "npx", era: "old" }, "/era", 'must be "legacy" or "modern"'],
    ["tools as a text", { command: "npx", tools: "a" }, "/tools", "must be an array of strings"],
    [
      "tools with a stray key",
      { command: "npx", tools: { includes: [] } },
      "/tools/includes",
      '"tools" can have only "include" and "exclude"',
    ],
    [
      "tools.include as a string",
      { command: "npx", tools: { include: "a" } },
      "/tools/include",
      "array of strings",
    ],
    [
      "tools.exclude with a number",
      { command: "npx", tools: { exclude: [1] } },
      "/tools/exclude/0",
      "must be a string",
    ],
  ])("%s", (_what, entry, pointer, hint) => {
    const error = refused(entry);
    expect(error.code).toBe("MCP_CONFIG_INVALID");
    expect(error.server).toBe("s");
    expect(error.phase).toBe("config");
    expect(error.location).toEqual({ file: "/project/mcp.json", pointer });
    expect(error.message).toMatch(/^Server "s" \(\/project\/mcp\.json\): /);
    expect(error.message).toContain(hint);
  });

  const limits = [
    "timeout",
    "connectTimeoutMs",
    "callTimeoutMs",
    "maxTotalMs",
    "maxMessageBytes",
    "maxTools",
    "maxConcurrentCalls",
  ];
  const amounts = [-1, Number.NaN, Number.POSITIVE_INFINITY, "5000", true, [1], { a: 1 }];
  test.each(limits.flatMap((limit) => amounts.map((amount) => [limit, amount] as const)))(
    "%s: %s",
    (limit, amount) => {
      const error = refused({ command: "npx", [limit]: amount });
      expect(error.message).toContain(`"${limit}" must be a finite number of at least 0`);
      expect(error.location?.pointer).toBe(`/${limit}`);
    },
  );

  test("a timeout larger than a timer can count", () => {
    expect(refused({ command: "npx", maxTotalMs: 2 ** 31 }).message).toContain("write 0 for no limit");
    expect(read({ command: "npx", maxTotalMs: 2 ** 31 - 1 }).definition.limits?.maxTotalMs).toBe(2 ** 31 - 1);
  });
});

describe("in a file of another host", () => {
  test.each([
    ["claude-code", "mcpServers", { env: { command: "x", timeout: "30s" } }, "/env/timeout", "warning"],
    ["claude-code", "mcpServers", { env: { command: "x", env: { O: {} } } }, "/env/env/O", "error"],
    [
      "opencode",
      "mcp",
      { s: { type: "local", command: ["x"], environment: { O: {} } } },
      "/s/environment/O",
      "error",
    ],
    ["goose", "extensions", { s: { type: "stdio", cmd: "x", envs: { O: {} } } }, "/s/envs/O", "error"],
    ["vscode", "servers", { s: { url: "https://h", headers: { O: {} } } }, "/s/headers/O", "warning"],
  ])("only a lost variable is an error: %s %s %j", async (host, key, servers, pointer, severity) => {
    const { diagnostics } = await parse({ [key]: servers }, { host });
    expect(diagnostics).toMatchObject([{ code: "invalid-field", pointer: `/${key}${pointer}`, severity }]);
  });

  test("null unsets a variable, and is no header", async () => {
    const entry = { type: "http", url: "https://h", headers: { A: null, B: "x" }, env: { C: null } };
    const { servers, diagnostics } = await parse({ servers: { n: entry } }, { host: "vscode" });
    expect(servers[0]?.written).toMatchObject({ headers: { B: "x" }, env: { C: null } });
    expect(diagnostics).toEqual([]);
  });

  test.each<[string, string, object]>([
    [
      "goose",
      "extensions",
      { cmd: "x", args: null, envs: null, env_keys: null, timeout: null, description: null },
    ],
    ["goose", "extensions", { uri: "https://h", headers: null, args: null, display_name: null }],
    ["warp", "mcpServers", { command: "x", working_directory: null, cwd: null, headers: null }],
    ["cursor", "mcpServers", { command: "x", envFile: null }],
    ["zed", "context_servers", { command: "x", args: null, env: null, timeout: null, oauth: null }],
    ["warp", "mcpServers", { command: "x", start_on_launch: null }],
    ["gemini", "mcpServers", { command: "x", includeTools: null, excludeTools: null }],
    ["jackfield", "mcpServers", { command: "x", timeout: null, tools: null, headers: null, url: null }],
  ])("null in an optional field is like no such field: %s %s %j", async (host, key, entry) => {
    const { servers, diagnostics } = await parse({ [key]: { s: entry } }, { host });
    const set = Object.entries(entry).filter(([, value]) => value !== null);
    const plain = await parse({ [key]: { s: Object.fromEntries(set) } }, { host });
    expect(diagnostics).toEqual([]);
    const { extra: _extra, ...written } = { ...servers[0]?.written };
    expect(written).toEqual(plain.servers[0]?.written);
  });

  test.each([
    ["warp", { command: null }, "ServerConfigError", "/command", undefined],
    ["warp", { url: null }, "ServerConfigError", "/url", undefined],
  ])("null in a required field is a fault: %s %j", async (host, entry, ...rest) => {
    const [code, pointer, enabled] = rest;
    const { servers, diagnostics } = await parse({ mcpServers: { s: entry } }, { host });
    expect(servers[0]?.written.enabled).toBe(enabled);
    expect(diagnostics).toMatchObject([{ code, pointer: `/mcpServers/s${pointer}` }]);
  });
});
