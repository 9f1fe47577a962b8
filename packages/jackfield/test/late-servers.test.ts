import { McpError, type ToolDefinition } from "@jackfield/mcp-core";
// Loading it takes longer than a test has; here it is loaded before the first one.
import "@jackfield/mcp-transports";
import { createFakeConnector, createFakeSession, type FakeAttempt, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { tools } from "../src/command-line/tools-command.ts";
import { openMcp } from "../src/index.ts";
import { commandLine, useTemporaryHome } from "./fixture.ts";
import { scriptedServer } from "./scripted-server.ts";

useLeakCheck();

const folder = useTemporaryHome();

const ECHO: ToolDefinition = { name: "echo", inputSchema: { type: "object" } };
const DOWN = new McpError("MCP_CONNECT_FAILED", "The database is down.");

/** A runtime opened without waiting for its servers, which are still connecting. */
async function openEarly(...names: readonly string[]) {
  const connector = createFakeConnector();
  const mcp = await openMcp({
    servers: Object.fromEntries(names.map((name) => [name, { command: name }])),
    discover: false,
    cache: false,
    connect: connector.connect,
    startup: { gateMs: 0, uncached: "later" },
  });
  const attempts = await Promise.all(names.map(() => connector.nextAttempt()));
  const of = (name: string) => {
    const attempt = attempts.find(({ server }) => server.name === name);
    if (attempt === undefined) throw new Error(`Nobody connects ${name}.`);
    return attempt;
  };
  return { mcp, of, connector, [Symbol.asyncDispose]: () => mcp.close() };
}

const session = (...list: readonly ToolDefinition[]) => createFakeSession({ tools: list });
const { signal } = new AbortController();

describe("a tool listing while servers still connect", () => {
  it("contains the tools of every server that connects, and a remark on each that fails", async () => {
    await using opened = await openEarly("clock", "broken");
    const listed = tools(opened.mcp, { server: undefined, tokens: false, signal });
    opened.of("broken").fail(DOWN);
    opened.of("clock").open(session(ECHO));
    expect(await listed).toMatchObject({
      json: { tools: [{ name: "mcp__clock__echo" }] },
      remarks: ['The tools of server "broken" are not known: The database is down.'],
      exitCode: 0,
    });
  });

  it("shows cached tools if the named server is down", async () => {
    const servers = { clock: { command: "clock" } };
    const open = (onAttempt: (attempt: FakeAttempt) => void) =>
      openMcp({
        servers,
        discover: false,
        cache: { path: folder.file("cache") },
        connect: createFakeConnector({ onAttempt }).connect,
        retry: { maxRetries: 0 },
      });
    await (await open((attempt) => void attempt.open(session(ECHO)))).close();
    await using mcp = await open((attempt) => attempt.fail(DOWN));
    await expect(mcp.reconnect("clock")).rejects.toThrow(DOWN.message);
    expect(mcp.servers()).toMatchObject([{ toolsFrom: "cache", error: { code: DOWN.code } }]);
    expect(await tools(mcp, { server: "clock", tokens: false, signal })).toMatchObject({
      json: { tools: [{ name: "mcp__clock__echo" }] },
      remarks: [],
      exitCode: 0,
    });
  });

  it("has a remark on a lazy server, and does not start it", async () => {
    const servers = { later: { command: "later", lazy: true } };
    const { connect, attempts } = createFakeConnector();
    await using mcp = await openMcp({ servers, discover: false, cache: false, connect });
    const { remarks } = await tools(mcp, { server: undefined, tokens: false, signal });
    expect(remarks).toEqual(['The tools of server "later" are not known: it has not been started yet.']);
    expect(attempts).toEqual([]);
  });
});

describe("a server that failed in the last run and starts slowly now", () => {
  /** The catalog remembers the failure, so the next start does not wait for it. */
  async function afterFailure() {
    const server = scriptedServer(folder, "clock");
    const definition = `clock=${JSON.stringify(server.definition)}`;
    const places = ["--no-discover", "--cwd", folder.path, "--cache", folder.file("cache")];
    const run = (...argv: string[]) => commandLine(...argv, ...places, "--mcp-server", definition);
    server.behave({ exitOn: "start" });
    const first = await run("tools", "--json");
    expect({ exitCode: first.exitCode, ...JSON.parse(first.stdout) }).toEqual({ exitCode: 0, tools: [] });
    const named = await run("tools", "clock", "--json");
    expect({ exitCode: named.exitCode, ...JSON.parse(named.stdout) }).toMatchObject({
      exitCode: 1,
      tools: [],
      error: { code: "MCP_SERVER_EXITED", server: "clock" },
    });
    expect(first.stderr).toMatch(/^warning: The tools of server "clock" are not known: .*ended with code 1/);
    server.behave({ answerLateMs: { initialize: 600, "server/discover": 600 } });
    return run;
  }

  it("is awaited by a call", async () => {
    const run = await afterFailure();
    expect(await run("call", "echo", '{"text":"hi"}')).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it("is awaited by a tool listing, which fills the catalog", async () => {
    const run = await afterFailure();
    const { stdout, stderr } = await run("tools", "--json");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout).tools.length).toBeGreaterThan(0);
    expect(await run("types", "--json")).toMatchObject({ exitCode: 0 });
  });
});
