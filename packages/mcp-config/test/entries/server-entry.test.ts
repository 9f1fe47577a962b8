import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { CONTEXT, read, reading, refused } from "./entry-reading.ts";

const STDIO = { name: "s", definedIn: CONTEXT.definedIn, transport: "stdio", command: "npx" };
const REMOTE = { name: "s", definedIn: CONTEXT.definedIn, transport: "http", url: "https://host/mcp" };

describe("an entry becomes a definition", () => {
  test.each<[string, unknown, Partial<Record<keyof ServerDefinition | string, unknown>>]>([
    ["a command alone", { command: "npx" }, STDIO],
    ["type stdio", { type: "stdio", command: "npx" }, STDIO],
    [
      "all stdio fields",
      { command: "npx", args: ["-y", ""], env: { A: "${B}" } },
      { ...STDIO, args: ["-y", ""], env: { A: "${B}" } },
    ],
    ["a relative cwd", { command: "npx", cwd: "work" }, { ...STDIO, cwd: "/project/work" }],
    ["a relative envFile", { command: "npx", envFile: ".env" }, { ...STDIO, envFile: "/project/.env" }],
    [
      "an envFile of a remote server",
      { url: "https://host/mcp", envFile: "/etc/mcp.env" },
      { ...REMOTE, envFile: "/etc/mcp.env" },
    ],
    [
      "an envFile that begins with a variable",
      { command: "npx", envFile: "${HOME}/.env" },
      { ...STDIO, envFile: "${HOME}/.env" },
    ],
    ["a relative command", { command: "./bin/s" }, { ...STDIO, command: "/project/bin/s" }],
    ["a url alone", { url: "https://host/mcp" }, REMOTE],
    ["type http", { type: "http", url: "https://host/mcp" }, REMOTE],
    ["type streamable-http", { type: "streamable-http", url: "https://host/mcp" }, REMOTE],
    ["type streamableHttp", { type: "streamableHttp", url: "https://host/mcp" }, REMOTE],
    ["type sse", { type: "sse", url: "https://host/mcp" }, { ...REMOTE, transport: "sse" }],
    [
      "headers and env",
      { url: "https://host/mcp", headers: { "X-A": "${A}" }, env: { A: "1" } },
      { ...REMOTE, headers: { "X-A": "${A}" }, env: { A: "1" } },
    ],
    ["a url with a variable", { url: "${BASE}/mcp" }, { ...REMOTE, url: "${BASE}/mcp" }],
    ["enabled false", { command: "npx", enabled: false }, { ...STDIO, enabled: false }],
    ["enabled true", { command: "npx", enabled: true, disabled: false }, STDIO],
    ["disabled true", { command: "npx", disabled: true }, { ...STDIO, enabled: false }],
    [
      "conflicting switches, which disable the server",
      { command: "npx", enabled: true, disabled: true },
      { ...STDIO, enabled: false },
    ],
    ["lazy", { command: "npx", lazy: true }, { ...STDIO, lazy: true }],
    ["shared", { url: "https://host/mcp", shared: true }, { ...REMOTE, shared: true }],
    ["timeout", { command: "npx", timeout: 0 }, { ...STDIO, limits: { callTimeoutMs: 0 } }],
    [
      "callTimeoutMs before timeout",
      { command: "npx", timeout: 1, callTimeoutMs: 2 },
      { ...STDIO, limits: { callTimeoutMs: 2 } },
    ],
    [
      "all limits",
      {
        command: "npx",
        connectTimeoutMs: 1,
        callTimeoutMs: 2.5,
        maxTotalMs: 3,
        maxMessageBytes: 2 ** 40,
        maxTools: 9,
        maxConcurrentCalls: 1,
        trustAnnotations: true,
        checkArguments: false,
        era: "legacy",
      },
      {
        ...STDIO,
        limits: {
          connectTimeoutMs: 1,
          callTimeoutMs: 2.5,
          maxTotalMs: 3,
          maxMessageBytes: 2 ** 40,
          maxTools: 9,
          maxConcurrentCalls: 1,
          trustAnnotations: true,
          checkArguments: false,
          era: "legacy",
        },
      },
    ],
    [
      "a tool filter",
      { command: "npx", tools: { include: ["a*"], exclude: ["ab"] } },
      { ...STDIO, tools: { include: ["a*"], exclude: ["ab"] } },
    ],
    [
      "unknown fields",
      { command: "npx", oauth: { clientId: "x" }, _note: 1 },
      { ...STDIO, extra: { oauth: { clientId: "x" }, _note: 1 } },
    ],
    [
      "undefined fields",
      { command: "npx", args: undefined, env: { A: undefined }, url: undefined },
      { ...STDIO, env: {} },
    ],
  ])("%s", (_what, entry, expected) => {
    expect(read(entry).definition).toEqual(expected);
  });

  test("maps in the definition have no prototype", () => {
    const { definition } = read({ command: "npx", env: { A: "1" }, other: 1 });
    expect(Object.getPrototypeOf((definition as { env: object }).env)).toBeNull();
    expect(Object.getPrototypeOf(definition.extra)).toBeNull();
  });

  test("[A4] an env key __proto__ is kept as an ordinary key", () => {
    const { definition } = read(
      JSON.parse('{"command": "npx", "env": {"__proto__": "x"}, "__proto__": {"url": "y"}}'),
    );
    expect(definition.transport).toBe("stdio");
    expect(Object.entries((definition as { env: object }).env)).toEqual([["__proto__", "x"]]);
    expect(Object.entries(definition.extra ?? {})).toEqual([["__proto__", { url: "y" }]]);
  });

  test("an http entry keeps its env block and its tool filter", () => {
    const { definition } = read({
      type: "http",
      url: "https://h",
      env: { T: "1" },
      tools: { exclude: ["x"] },
    });
    expect(definition).toMatchObject({ env: { T: "1" }, tools: { exclude: ["x"] } });
  });
});

test("changing the objects that a program passed does not change the definition", () => {
  const env = Object.assign(Object.create(null), { T: "1" });
  const args = ["a"];
  const { definition } = read({ command: "c", args, env }, { inCode: true });
  env.T = "2";
  args.push("b");
  expect(definition).toMatchObject({ args: ["a"], env: { T: "1" } });
});

describe("an in-process server", () => {
  const instance = { connect: async () => {} };
  const factory = () => instance;

  test("may be an instance or a function, in code only", () => {
    expect(read({ server: instance }, { inCode: true }).definition).toMatchObject({
      transport: "in-process",
      server: instance,
    });
    expect(read({ server: factory, lazy: true }, { inCode: true }).definition).toMatchObject({
      server: factory,
      lazy: true,
    });
    expect(refused({ server: factory }).message).toContain("neither");
  });

  test.each([
    ["an object without connect", { server: {} }, "/server"],
    ["null", { server: null }, "/server"],
    ["a string", { server: "./server.js" }, "/server"],
    ["beside a command", { server: factory, command: "npx" }, "/server"],
    ["with a type", { server: factory, type: "stdio" }, "/type"],
    ["outside a server field", instance, ""],
  ])("%s is refused", (_what, entry, pointer) => {
    expect(refused(entry, { inCode: true }).location?.pointer).toBe(pointer);
  });
});

describe("a tolerated mistake", () => {
  test.each([
    ["cmd", "command"],
    ["urls", "url"],
    ["serverUrl", "url"],
    ["httpUrl", "url"],
    ["environment", "env"],
    ["envs", "env"],
    ["arg", "args"],
    ["Enabled", "enabled"],
    ["disable", "disabled"],
    ["HEADERS", "headers"],
    ["connecttimeoutms", "connectTimeoutMs"],
  ])("the field %s is kept, with a warning that suggests %s", (field, meant) => {
    const { definition, diagnostics } = read({ command: "npx", [field]: "x" });
    expect(definition.extra).toEqual({ [field]: "x" });
    expect(diagnostics).toEqual([
      {
        code: "near-miss-field",
        severity: "warning",
        message: `Server "s": "${field}" is not read; did you mean "${meant}"?`,
        file: "/project/mcp.json",
        pointer: `/${field}`,
        server: "s",
        suggestion: meant,
      },
    ]);
  });

  test("a near miss is reported even if the entry is refused", () => {
    const { outcome, diagnostics } = reading({ cmd: "npx" });
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining("neither") } });
    expect(diagnostics.map(({ code }) => code)).toEqual(["near-miss-field"]);
  });

  test("unknown fields are reported, except those that are set aside", () => {
    const { diagnostics } = read({ command: "npx", gallery: true, toString: 1, _note: "x", $schema: "y" });
    expect(diagnostics.map(({ code, severity, message }) => [code, severity, message])).toEqual(
      ["gallery", "toString"].map((field) => [
        "unknown-field",
        "info",
        `Server "s": "${field}" is not known; it is kept unchanged.`,
      ]),
    );
  });

  test.each(["trust", "autoApprove", "alwaysAllow", "enableAllProjectMcpServers"])(
    "%s is ignored and reported as self-approval",
    (field) => {
      const { definition, diagnostics } = read({ command: "npx", [field]: true });
      expect(definition).toEqual({ ...STDIO, extra: { [field]: true } });
      expect(diagnostics).toMatchObject([
        { code: "self-approval", severity: "warning", pointer: `/${field}` },
      ]);
      expect(diagnostics[0]?.message).toContain(`"${field}" is ignored`);
    },
  );

  test("a field of another transport is kept and reported", () => {
    const { definition, diagnostics } = read({ command: "npx", headers: { A: 1 } });
    expect(definition.extra).toEqual({ headers: { A: 1 } });
    expect(diagnostics).toMatchObject([{ code: "unused-field", pointer: "/headers" }]);
  });

  test("a command line in command is reported and not split", () => {
    const { definition, diagnostics } = read({ command: "npx -y server" });
    expect(definition).toMatchObject({ command: "npx -y server" });
    expect(diagnostics).toMatchObject([
      { code: "command-has-spaces", severity: "warning", pointer: "/command" },
    ]);
    expect(read({ command: "/opt/my tools/server" }).diagnostics).toEqual([]);
    expect(read({ command: "my server", args: ["a"] }).diagnostics).toEqual([]);
    expect(read({ command: "npx -y server", args: [] }).diagnostics).toMatchObject([
      { code: "command-has-spaces" },
    ]);
  });
});
