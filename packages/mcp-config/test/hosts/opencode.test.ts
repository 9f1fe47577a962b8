import { describe, expect, test } from "vitest";
import { useHomeFolder } from "../discovery/home-folder.ts";
import { parse } from "../discovery/parsing.ts";

const homeWith = useHomeFolder();

const LOCAL = { type: "local", command: ["x"] };
const REMOTE = { type: "remote", url: "https://host.example" };

test.each(["x y", { path: "x" }, null])(
  "opencode refuses a local command that is not a list: %j",
  async (command) => {
    const servers = { s: { type: "local", command }, t: LOCAL };
    const { names, diagnostics } = await parse({ mcp: servers }, { host: "opencode" });
    expect(names).toEqual(["t"]);
    expect(diagnostics).toMatchObject([{ code: "ServerConfigError", pointer: "/mcp/s/command" }]);
  },
);

describe("opencode OAuth settings", () => {
  const settings = {
    clientId: "c",
    callbackPort: 1234,
    redirectUri: "http://127.0.0.1/cb",
    scopes: ["p", "q"],
  };

  test("are read in the newer format's spelling", async () => {
    const oauth = {
      client_id: "c",
      client_secret: "{env:SECRET}",
      callback_port: 1234,
      redirect_uri: "http://127.0.0.1/cb",
      scope: "p q",
    };
    const { servers, told } = await parse(
      { mcp: { servers: { s: { ...REMOTE, oauth } } } },
      { host: "opencode" },
    );
    expect(servers[0]?.definition).toMatchObject({ oauth: { ...settings, clientSecret: "{env:SECRET}" } });
    expect(told).toEqual([]);
  });

  test.each(["client_secret", "clientSecret"])("with a literal %s are reported", async (member) => {
    const entry = { ...REMOTE, oauth: { clientId: "c", [member]: "planted-secret" } };
    const { diagnostics } = await parse({ mcp: { s: entry } }, { host: "opencode" });
    expect(diagnostics).toMatchObject([{ code: "literal-secret", pointer: `/mcp/s/oauth/${member}` }]);
  });
});

describe("opencode timeouts", () => {
  const timesOf = async (servers: object, timeout?: unknown) => {
    const { servers: found, ...rest } = await parse({ mcp: { servers, timeout } }, { host: "opencode" });
    const limits = found.map(({ definition }) => definition.limits);
    const written = found.map(({ written: { connectTimeoutMs, timeoutMs, extra } }) => ({
      connectTimeoutMs,
      timeoutMs,
      extra,
    }));
    return { limits, written, ...rest };
  };

  test("apply startup and execution, and keep catalog in extra", async () => {
    const timeout = { startup: 20_000, catalog: 7_000, execution: 9_000 };
    const { limits, written, told } = await timesOf({ s: { ...LOCAL, timeout } });
    expect(limits).toMatchObject([{ connectTimeoutMs: 20_000, callTimeoutMs: 9_000 }]);
    const extra = { timeout: { catalog: 7_000 } };
    expect(written).toEqual([{ connectTimeoutMs: 20_000, timeoutMs: 9_000, extra }]);
    expect(told).toEqual([]);
  });

  test("of the whole file are those of servers without their own, one by one", async () => {
    const servers = {
      s: LOCAL,
      slow: { ...LOCAL, timeout: { execution: 60_000 } },
      number: { ...LOCAL, timeout: 1_000 },
    };
    const { limits, written } = await timesOf(servers, { startup: 30_000, catalog: 7_000, execution: 9_000 });
    expect(limits).toMatchObject([
      { connectTimeoutMs: 30_000, callTimeoutMs: 9_000 },
      { connectTimeoutMs: 30_000, callTimeoutMs: 60_000 },
      { connectTimeoutMs: 30_000, callTimeoutMs: 1_000 },
    ]);
    expect(written.map(({ timeoutMs }) => timeoutMs)).toEqual([9_000, 60_000, 1_000]);
    expect((await timesOf({ s: LOCAL }, { startup: "1", execution: -1 })).limits).toEqual([undefined]);
  });

  test("of the whole file are a number in the older format, where a server may be called timeout", async () => {
    const older = { mcp: { timeout: LOCAL }, experimental: { mcp_timeout: 5_000 } };
    const { names, servers } = await parse(older, { host: "opencode" });
    expect(names).toEqual(["timeout"]);
    expect(servers[0]?.definition.limits).toMatchObject({ callTimeoutMs: 5_000 });
  });

  test("come from the strongest file that has them, and never from a project for a server of the user's", async () => {
    const { discover } = await homeWith({
      ".config/opencode/opencode.json": {
        mcp: { mine: LOCAL, timeout: { startup: 1_000, execution: 2_000 } },
      },
      "work/opencode.json": { mcp: { theirs: LOCAL, timeout: { startup: 3_000 } } },
    });
    const { servers } = await discover({ hosts: ["opencode"] });
    expect(Object.fromEntries(servers.map(({ name, limits }) => [name, limits]))).toMatchObject({
      mine: { connectTimeoutMs: 1_000, callTimeoutMs: 2_000 },
      theirs: { connectTimeoutMs: 3_000, callTimeoutMs: 2_000 },
    });
  });

  test("are reported at their place if invalid; a number is the call timeout", async () => {
    const { limits, diagnostics } = await timesOf({
      s: { ...LOCAL, timeout: { startup: "1", execution: -1 } },
      number: { ...LOCAL, timeout: 2_000 },
    });
    expect(limits).toMatchObject([undefined, { callTimeoutMs: 2_000 }]);
    expect(diagnostics.map(({ code, pointer }) => `${code} ${pointer}`).sort()).toEqual([
      "invalid-field /mcp/servers/s/timeout/execution",
      "invalid-field /mcp/servers/s/timeout/startup",
    ]);
  });
});

test("opencode reports env and suggests environment", async () => {
  const { diagnostics } = await parse({ mcp: { s: { ...LOCAL, env: { A: "1" } } } }, { host: "opencode" });
  expect(diagnostics).toMatchObject([
    { code: "near-miss-field", pointer: "/mcp/s/env", suggestion: "environment" },
  ]);
});

test.each([
  ['{ "mcp": { "s": { "timeout": {env:T} } } }', 1],
  ['{ "mcp": {\n "s": { "type": "local", "command": [ {file:x} ] } } }', 2],
])("the syntax error of an unquoted opencode reference says what it is: %s", async (text, line) => {
  const { diagnostics } = await parse(text, { host: "opencode", file: "/folder/opencode.json" });
  expect(diagnostics).toMatchObject([{ code: "ConfigSyntaxError", line }]);
  expect(diagnostics[0]?.message).toContain("is expected. This is a reference that opencode fills in");
  const other = await parse(text, { host: "gemini" });
  expect(other.diagnostics[0]?.message).not.toContain("reference");
  const fault = await parse('{ "mcp": { s: 1, "t": "{env:T}" } }', { host: "opencode" });
  expect(fault.diagnostics[0]?.message).not.toContain("reference");
});
