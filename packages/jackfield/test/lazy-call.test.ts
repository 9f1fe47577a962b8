import { writeFileSync } from "node:fs";
import { McpError, type ToolDefinition } from "@jackfield/mcp-core";
// Loading it takes longer than a test has; here it is loaded before the first one.
import "@jackfield/mcp-transports";
import { createFakeConnector, createFakeSession, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { findTool, mayNameToolOf } from "../src/command-line/tool-reference.ts";
import { type Mcp, openMcp } from "../src/index.ts";
import { commandLine, useTemporaryHome } from "./fixture.ts";
import { hostileServer } from "./red-team-runtime.ts";

useLeakCheck();

const folder = useTemporaryHome();
const ECHO: ToolDefinition = { name: "echo", inputSchema: { type: "object" } };
const DOWN = new McpError("MCP_CONNECT_FAILED", "The database is down.");
const { signal } = new AbortController();
const find = async (mcp: Mcp, name: string) => (await findTool(mcp, name, { signal })).tool.name;

/** Lazy servers; those in `down` fail when they are started. */
async function openLazy(names: readonly string[], down: readonly string[] = []) {
  const { connect, attempts } = createFakeConnector({
    onAttempt: (attempt) => {
      if (down.includes(attempt.server.name)) attempt.fail(DOWN);
      else attempt.open(createFakeSession({ tools: [ECHO] }));
    },
  });
  const mcp = await openMcp({
    servers: Object.fromEntries(names.map((name) => [name, { command: name, lazy: true }])),
    discover: false,
    cache: false,
    connect,
  });
  const started = () => attempts.map(({ server }) => server.name);
  return { mcp, started, [Symbol.asyncDispose]: () => mcp.close() };
}

describe("the first call to a lazy server", () => {
  it("starts only the server whose name the tool name begins with", async () => {
    await using opened = await openLazy(["docs (beta)", "files"]);
    expect(await find(opened.mcp, "mcp__docs_beta__echo")).toBe("mcp__docs_beta__echo");
    expect(opened.started()).toEqual(["docs (beta)"]);
  });

  it("starts every server for an original tool name, which must be unique", async () => {
    await using one = await openLazy(["docs"]);
    expect(await find(one.mcp, "echo")).toBe("mcp__docs__echo");
    await using two = await openLazy(["docs", "files"]);
    await expect(find(two.mcp, "echo")).rejects.toThrow("several servers have one");
    expect(two.started()).toEqual(["docs", "files"]);
  });

  it("reports why the server did not start", async () => {
    await using opened = await openLazy(["docs", "files"], ["docs"]);
    await expect(find(opened.mcp, "mcp__docs__echo")).rejects.toMatchObject({
      code: "MCP_TOOL_UNKNOWN",
      message: expect.stringContaining('server "docs" are not known: The database is down.'),
    });
    expect(opened.started()).not.toContain("files");
  });

  it("works from the command line", async () => {
    const { entry } = hostileServer(folder, "files", {
      tools: [ECHO],
      answers: { echo: { result: { content: [{ type: "text", text: "hi" }] } } },
    });
    const server = `files=${JSON.stringify({ ...entry, lazy: true })}`;
    const places = ["--no-discover", "--cwd", folder.path, "--cache", folder.file("cache")];
    const { exitCode, stderr } = await commandLine(
      ...["call", "mcp__files__echo", "{}", "--mcp-server", server],
      ...places,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });
});

describe("the server of an exposed tool name", () => {
  const LONG = "a server whose name is much too long for a name of a tool";

  it.each([
    ["from a plain name", ["docs-beta"]],
    ["from a name with characters that are not allowed", ["docs (beta)", "__docs", "документы", "a__b"]],
    ["from a name that is too long", [LONG]],
    ["from two names that look the same", ["docs beta", "docs.beta"]],
  ])("is recognised %s", async (_title, names) => {
    const { connect } = createFakeConnector({
      onAttempt: (attempt) => void attempt.open(createFakeSession({ tools: [ECHO] })),
    });
    const servers = Object.fromEntries(names.map((name) => [name, { command: "x" }]));
    await using mcp = await openMcp({ servers, discover: false, cache: false, connect });
    const exposed = mcp.tools().map(({ server, name }) => ({ name, isItsOwn: mayNameToolOf(server, name) }));
    expect(exposed).toHaveLength(names.length);
    expect(exposed.filter(({ isItsOwn }) => !isItsOwn)).toEqual([]);
  });

  it("is not taken for another server", () => {
    expect(mayNameToolOf("docs", "mcp__docs2__echo")).toBe(false);
    expect(mayNameToolOf("docs", "mcp__docs_beta__echo")).toBe(false);
    expect(mayNameToolOf("docs", "echo")).toBe(false);
  });
});

it("calling a tool of a server that is not approved names the approve command, whatever the server's name", async () => {
  const mcpServers = { "docs (beta)": { command: "x" } };
  writeFileSync(folder.file(".mcp.json"), JSON.stringify({ mcpServers }));
  const places = ["--cwd", folder.path, "--cache", folder.file("cache")];
  const { stderr } = await commandLine("call", "mcp__docs_beta__ping", "{}", ...places);
  expect(stderr).toMatch(/"docs \(beta\)" .* is not used: .*npx jackfield approve .*\(MCP_TOOL_UNKNOWN\)$/m);
});
