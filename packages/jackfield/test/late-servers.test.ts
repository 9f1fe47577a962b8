import { McpError, type ToolDefinition } from "@jackfield/mcp-core";
// Loading it takes longer than a test has; here it is loaded before the first one.
import "@jackfield/mcp-transports";
import { createFakeConnector, createFakeSession, type FakeAttempt, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { findTool } from "../src/command-line/call-command.ts";
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

describe("a tool called while its server still connects", () => {
  it("is found once its server has listed it, without waiting for other servers", async () => {
    await using opened = await openEarly("clock", "slow");
    const found = findTool(opened.mcp, "mcp__clock__echo", signal);
    opened.of("clock").open(session(ECHO));
    expect(await found).toBe("mcp__clock__echo");
    expect(opened.of("slow").aborted).toBe(false);
  });

  it("is found by its original name", async () => {
    await using opened = await openEarly("clock");
    const found = findTool(opened.mcp, "echo", signal);
    opened.of("clock").open(session(ECHO));
    expect(await found).toBe("mcp__clock__echo");
  });

  it("is refused as unknown once every server has settled, with the error of each failed one", async () => {
    await using opened = await openEarly("clock", "empty");
    const found = findTool(opened.mcp, "mcp__clock__echo", signal);
    opened.of("empty").open(session());
    opened.of("clock").fail(DOWN);
    await expect(found).rejects.toMatchObject({
      code: "MCP_TOOL_UNKNOWN",
      message: expect.stringMatching(/server "clock" are not known: The database is down\.$/),
    });
    // The server is tried again; the search does not wait for that.
    expect(opened.connector.attempts).toHaveLength(2);
  });

  it("rejects with the reason of an interrupt", async () => {
    await using opened = await openEarly("clock");
    const interrupt = new AbortController();
    const found = findTool(opened.mcp, "mcp__clock__echo", interrupt.signal);
    const reason = new McpError("MCP_ABORTED", "Ctrl+C");
    interrupt.abort(reason);
    await expect(found).rejects.toBe(reason);
  });
});

describe("a tool listing while servers still connect", () => {
  it("contains the tools of every server that connects, and a remark on each that fails", async () => {
    await using opened = await openEarly("clock", "broken");
    const listed = tools(opened.mcp, { server: undefined, tokens: false, signal });
    opened.of("broken").fail(DOWN);
    opened.of("clock").open(session(ECHO));
    expect(await listed).toMatchObject({
      json: [{ name: "mcp__clock__echo" }],
      remarks: ['The tools of server "broken" are not known: The database is down.'],
      exitCode: 0,
    });
  });

  it("waits only for the named server", async () => {
    await using opened = await openEarly("clock", "slow");
    const listed = tools(opened.mcp, { server: "clock", tokens: false, signal });
    opened.of("clock").open(session(ECHO));
    expect(await listed).toMatchObject({ json: [{ name: "mcp__clock__echo" }], remarks: [] });
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
      json: [{ name: "mcp__clock__echo" }],
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
    expect(first).toMatchObject({ exitCode: 0, stdout: "[]\n" });
    expect(await run("tools", "clock", "--json")).toMatchObject({ exitCode: 1, stdout: "[]\n" });
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
    expect(JSON.parse(stdout).length).toBeGreaterThan(0);
    expect(await run("types", "--json")).toMatchObject({ exitCode: 0 });
  });
});
