import { type AuthPort, McpError } from "@jackfield/mcp-core";
import { createFakeConnector, createFakeSession, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type OpenMcpOptions, openMcp } from "../src/index.ts";
import { createProjectFixture, type ProjectFixture } from "./project-fixture.ts";

useLeakCheck();

let clone: ProjectFixture;
beforeEach(() => {
  clone = createProjectFixture();
});
afterEach(() => {
  vi.unstubAllEnvs();
  clone[Symbol.dispose]();
});

const USER_FILE = ".config/jackfield/mcp.json";

describe("server discovery", () => {
  it("searches the user's and the project's file by default, and passed servers win", async () => {
    clone.writeFile(USER_FILE, { mcpServers: { own: { command: "own" }, both: { command: "own" } } });
    clone.write({ of: { command: "project" } });
    await using mcp = await openMcp({ ...clone.options, servers: { both: { command: "passed" } } });
    expect(mcp.report.ready.map(({ name }) => name).toSorted()).toEqual(["both", "own"]);
    expect(mcp.report.blocked).toMatchObject([{ name: "of", by: "approval" }]);
    const commands = clone.connector.attempts.map(({ server }) => "command" in server && server.command);
    expect(commands.toSorted()).toEqual(["own", "passed"]);
  });

  it("can search another folder than the one that passed paths are relative to", async () => {
    clone.write({ of: { command: "project" } });
    clone.writeFile("elsewhere/named.json", { mcpServers: { named: { command: "./bin/named" } } });
    const cwd = `${clone.home}/elsewhere`;
    await using mcp = await openMcp({
      ...clone.options,
      cwd,
      configFiles: ["named.json"],
      servers: { passed: { command: "./passed" } },
    });
    expect(mcp.report.blocked).toMatchObject([{ name: "of" }]);
    const commands = clone.connector.attempts.map(({ server }) => "command" in server && server.command);
    expect(commands.toSorted()).toEqual([`${cwd}/bin/named`, `${cwd}/passed`]);
  });

  it("searches cwd if discovery has cwd: undefined", async () => {
    clone.write({ of: { command: "project" } });
    const discover = { ...clone.options.discover, cwd: undefined };
    await using mcp = await openMcp({ ...clone.options, cwd: clone.project, discover });
    expect(mcp.report.blocked).toMatchObject([{ name: "of", by: "approval" }]);
    expect(mcp.report.blocked[0]?.reason).toContain(`--cwd ${clone.project}`);
  });

  it("is off with discover: false", async () => {
    clone.writeFile(USER_FILE, { mcpServers: { own: { command: "own" } } });
    await using mcp = await openMcp({ ...clone.options, discover: false });
    expect([mcp.servers(), mcp.report.blocked]).toEqual([[], []]);
  });
});

describe("places from untyped code", () => {
  const auth: AuthPort = { headers: async () => ({}), onChallenge: async () => "fail" };

  it.each<[unknown, string, string]>([
    [null, "/configFiles", "it must be an array of paths, not null."],
    ["mcp.json", "/configFiles", "it must be an array of paths, not a string."],
    [[1], "/configFiles/0", "it must be the path of a file, not a number; the other files are read."],
  ])("configFiles: %j is a problem, and the other servers start", async (configFiles, pointer, text) => {
    const servers = { a: { command: "a" } };
    for (const more of [{}, { auth }]) {
      const options = { ...clone.options, ...more, servers, configFiles } as OpenMcpOptions;
      await using mcp = await openMcp(options);
      expect(mcp.report).toMatchObject({
        ready: [{ name: "a" }],
        problems: [
          {
            definedIn: { scope: "explicit", pointer: "/configFiles" },
            kind: "ConfigShapeError",
            error: {
              code: "MCP_CONFIG_INVALID",
              phase: "config",
              location: { pointer },
              message: `option "${pointer}": ${text}`,
            },
          },
        ],
      });
      expect(mcp.report.problems).toHaveLength(1);
    }
  });

  it.each<[unknown, number]>([
    [null, 0],
    [5, 1],
    ["cursor", 1],
  ])("discover.hosts: %j does not keep openMcp from opening", async (hosts, problems) => {
    clone.write({ of: { command: "project" } });
    const discover = { ...clone.options.discover, hosts };
    const options = { ...clone.options, servers: { a: { command: "a" } }, discover } as OpenMcpOptions;
    await using mcp = await openMcp(options);
    expect(mcp.report.ready).toMatchObject([{ name: "a" }]);
    expect(mcp.report.problems).toHaveLength(problems);
  });
});

describe("filters", () => {
  it("block servers with a reason in the report, and are evaluated again by a reload", async () => {
    clone.writeFile(USER_FILE, {
      mcpServers: {
        playwright: { command: "npx", args: ["@playwright/mcp@1.0.0"] },
        off: { command: "off", enabled: false },
        denied: { command: "rm", args: ["-rf"] },
      },
    });
    let hasBrowser = true;
    const filters = { browser: () => hasBrowser, deny: [{ argv: ["rm", "-rf"] }] };
    await using mcp = await openMcp({ ...clone.options, filters });
    expect(mcp.report.blocked.map(({ name, by }) => [name, by])).toEqual([
      ["playwright", "browser"],
      ["off", "disabled"],
      ["denied", "deny"],
    ]);
    expect(mcp.servers()).toEqual([]);
    hasBrowser = false;
    expect(await mcp.reload()).toMatchObject({ added: ["playwright"] });
    hasBrowser = true;
    expect(await mcp.reload()).toMatchObject({ removed: ["playwright"] });
    expect(mcp.tools()).toEqual([]);
  });

  it("pass the expanded key of a blocked Exa server to the host", async () => {
    vi.stubEnv("MY_EXA", "exa-key-1");
    clone.writeFile(USER_FILE, {
      mcpServers: { exa: { command: "npx", args: ["exa-mcp"], env: { EXA_API_KEY: "${MY_EXA}" } } },
    });
    const key = Promise.withResolvers<string>();
    const filters = { exa: true, exaApiKey: (found: string) => key.resolve(found) };
    await using mcp = await openMcp({ ...clone.options, filters });
    expect(await key.promise).toBe("exa-key-1");
    expect(mcp.report.blocked).toMatchObject([{ name: "exa", by: "exa" }]);
    expect(clone.connector.attempts).toEqual([]);
  });

  it.each([
    ["throws", () => fail()],
    ["rejects", async () => fail()],
  ])("log an error without the key if the host's exaApiKey function %s", async (_, tell) => {
    vi.stubEnv("MY_EXA", "exa-key-1");
    const server = { command: "npx", args: ["exa-mcp"], env: { EXA_API_KEY: "${MY_EXA}" } };
    clone.writeFile(USER_FILE, { mcpServers: { exa: server } });
    const log = vi.fn();
    await using mcp = await openMcp({ ...clone.options, filters: { exa: true, exaApiKey: tell }, log });
    const fields = { server: "exa", error: "Error: no room for [redacted]" };
    await vi.waitFor(() =>
      expect(log).toHaveBeenCalledWith("warn", 'The function "filters.exaApiKey" failed.', fields),
    );
    expect(mcp.report.blocked).toMatchObject([{ name: "exa", by: "exa" }]);
  });
});

function fail(): never {
  throw new Error("no room for exa-key-1");
}

it("a filtered tool cannot be called, and a pattern without a match is warned about", async () => {
  const session = createFakeSession({
    tools: ["read_file", "read_secret", "write_file"].map((name) => ({
      name,
      inputSchema: { type: "object" },
    })),
  });
  const { connect } = createFakeConnector({ onAttempt: (attempt) => void attempt.open(session) });
  const said: string[] = [];
  const tools = { include: ["read_*", "list_*"], exclude: ["*_secret"] };
  await using mcp = await openMcp({
    servers: { files: { command: "x", tools } },
    discover: false,
    cache: false,
    connect,
    log: (level, message) => void said.push(`${level}: ${message}`),
  });
  expect(mcp.tools().map(({ originalName }) => originalName)).toEqual(["read_file"]);
  for (const tool of ["read_secret", "write_file"]) {
    const call = mcp.callTool({ server: "files", tool });
    await expect(call).rejects.toMatchObject({ code: "MCP_TOOL_UNKNOWN" });
  }
  expect(session.requests).toEqual([]);
  expect(said).toContainEqual(expect.stringMatching(/^warn: .*"list_\*".*"read_file"/));
});

it("[A9] the resolver is called with rejected: true after a 401", async () => {
  const rejections: (boolean | undefined)[] = [];
  let attempts = 0;
  const { connect } = createFakeConnector({
    onAttempt: (attempt) => {
      attempts += 1;
      if (attempts === 1) attempt.fail(new McpError("MCP_AUTH_REQUIRED", "no", { httpStatus: 401 }));
      else attempt.open(createFakeSession({}));
    },
  });
  await using mcp = await openMcp({
    servers: { s: { url: "https://s.example" } },
    discover: false,
    cache: false,
    retry: { maxRetries: 0 },
    connect,
    resolve: async ({ name }, { rejected }) => {
      rejections.push(rejected);
      return { name, transport: "http", url: "https://s.example", headers: {}, secrets: [] };
    },
  });
  expect(mcp.report.failed).toMatchObject([{ name: "s" }]);
  await mcp.reconnect("s");
  await mcp.reconnect("s");
  expect(rejections).toEqual([undefined, true, undefined]);
});
