import { type CallOptions, McpError, type ToolDescriptor } from "@jackfield/mcp-core";
import { createFakeSession, type FakeConnector, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { McpManager, ToolView } from "../../src/index.ts";
import { createFixture, tool } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ECHO = { server: "a", tool: "echo" };
const UNKNOWN = { code: "MCP_TOOL_UNKNOWN", outcome: "not-sent" };

/** Servers that were never listed and that only a call connects. */
async function unlisted() {
  const servers = ["a", "b"].map((name) => stdioDefinition(name, { lazy: true }));
  const { manager, connector } = createFixture(servers, { byHand: true, retry: { maxRetries: 0 } });
  await manager.start();
  return { manager, connector };
}

/** Opens the session of the server that a call connects. */
async function openSession(connector: FakeConnector) {
  const session = createFakeSession({ tools: [tool("echo"), tool("secret")] });
  (await connector.nextAttempt()).open(session);
  return session;
}

const isEcho = ({ originalName }: ToolDescriptor) => originalName === "echo";

describe("a call through a view to a tool that was never listed", () => {
  it.each<[string, (manager: McpManager) => Promise<ToolView> | ToolView]>([
    ["by server name", (manager) => manager.view({ servers: ["a"] })],
    ["by tool name", (manager) => manager.view({ tools: ["echo"] })],
    ["by a function", (manager) => manager.view({ tools: isEcho })],
    ["by nested views", (manager) => manager.view({ servers: ["a"] }).view({ tools: isEcho })],
    ["by an async filter", (manager) => manager.viewFor({ tools: async (found) => isEcho(found) })],
    [
      "by nested async filters",
      async (manager) => (await manager.viewFor({ servers: async () => true })).viewFor({ tools: isEcho }),
    ],
  ])("waits for its server to connect if allowed %s", async (_title, viewOf) => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const view = await viewOf(manager);
    const calling = view.callTool(ECHO, {}, { timeoutMs: 1_000 });
    await vi.advanceTimersByTimeAsync(400);
    const session = await openSession(connector);
    await expect(calling).resolves.toMatchObject({ content: [{ type: "text" }] });
    expect(session.requests).toMatchObject([{ method: "tools/call", options: { timeoutMs: 600 } }]);
  });

  it.each<[string, (manager: McpManager) => Promise<ToolView> | ToolView]>([
    ["by tool name", (manager) => manager.view({ tools: ["echo"] })],
    ["by an async filter", (manager) => manager.viewFor({ tools: async (found) => isEcho(found) })],
  ])("is not sent to a tool hidden %s, and the error suggests no other", async (_title, viewOf) => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const view = await viewOf(manager);
    const message = 'This view offers no tool "secret".';
    const call = view.callTool({ server: "a", tool: "secret" });
    const refused = expect(call).rejects.toMatchObject({ ...UNKNOWN, message });
    const session = await openSession(connector);
    await refused;
    const near = expect(view.callTool({ server: "a", tool: "secre" })).rejects;
    await near.toMatchObject({ ...UNKNOWN, message: 'This view offers no tool "secre".' });
    expect(session.requests).toEqual([]);
  });

  it("does not connect a server that the view hides, and the error suggests none", async () => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    await expect(manager.view({ servers: ["b"] }).callTool(ECHO)).rejects.toMatchObject(UNKNOWN);
    const other = manager.view({ servers: (name) => name !== "b" }).callTool({ server: "c", tool: "echo" });
    await expect(other).rejects.toMatchObject({ ...UNKNOWN, message: 'This view offers no tool "echo".' });
    expect(connector.attempts).toEqual([]);
  });

  it("rejects with the error of a server that cannot connect", async () => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const failed = expect(manager.view({ servers: ["a"] }).callTool(ECHO)).rejects.toMatchObject({
      code: "MCP_SERVER_EXITED",
      outcome: "not-sent",
      tool: "echo",
    });
    (await connector.nextAttempt()).fail(new McpError("MCP_SERVER_EXITED", "Gone."));
    await failed;
  });

  it("asks an async filter once per tool, also for two calls", async () => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const tools = vi.fn(async (found: ToolDescriptor) => isEcho(found));
    const view = await manager.viewFor({ tools });
    const calls = [view.callTool(ECHO), view.callTool(ECHO)];
    await openSession(connector);
    await Promise.all(calls);
    expect(tools.mock.calls.map(([{ originalName }]) => originalName).sort()).toEqual(["echo", "secret"]);
  });

  it.each<[string, CallOptions, (view: ToolView, manager: McpManager, caller: AbortController) => void]>([
    ["MCP_CALL_TIMEOUT", { timeoutMs: 1_000 }, () => vi.advanceTimersByTime(1_000)],
    ["MCP_ABORTED", {}, (_view, _manager, caller) => caller.abort()],
    ["MCP_CLOSED", {}, (view) => void view.close()],
    ["MCP_CLOSED", {}, (_view, manager) => void manager.close()],
  ])("rejects with %s even if its filter never settles", async (code, options, end) => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const asked = Promise.withResolvers<void>();
    const tools = () => {
      asked.resolve();
      return new Promise<boolean>(() => {});
    };
    const view = await manager.viewFor({ tools });
    const caller = new AbortController();
    const calling = view.callTool(ECHO, {}, { ...options, signal: caller.signal });
    const ended = expect(calling).rejects.toMatchObject({ code, outcome: "not-sent" });
    const session = await openSession(connector);
    await asked.promise;
    await vi.advanceTimersByTimeAsync(0);
    end(view, manager, caller);
    await ended;
    expect(session.requests).toEqual([]);
  });

  it("rejects when its view is closed, while the server continues to connect", async () => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const view = manager.view({});
    const ended = expect(view.callTool(ECHO)).rejects.toMatchObject({ code: "MCP_CLOSED" });
    const attempt = await connector.nextAttempt();
    await view.close();
    await ended;
    expect(attempt.aborted).toBe(false);
  });
});

describe("a view of a view", () => {
  it.each([
    ["hides the tool again", (shown: Set<string>) => void shown.clear(), UNKNOWN],
    [
      "is closed",
      (_shown: Set<string>, outer: ToolView) => void outer.close(),
      { code: "MCP_CLOSED", outcome: "not-sent" },
    ],
  ])("sends nothing if the outer one %s while the inner filter is pending", async (_title, end, expected) => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const shown = new Set(["echo"]);
    const outer = manager.view({ tools: ({ originalName }) => shown.has(originalName) });
    const looking = Promise.withResolvers<void>();
    const found = Promise.withResolvers<boolean>();
    const tools = () => {
      looking.resolve();
      return found.promise;
    };
    const inner = await outer.viewFor({ tools });
    const refused = expect(inner.callTool(ECHO)).rejects.toMatchObject(expected);
    const session = await openSession(connector);
    await looking.promise;
    await vi.advanceTimersByTimeAsync(0); // The outer one has let it through by now.
    end(shown, outer);
    found.resolve(true);
    await refused;
    expect(session.requests).toEqual([]);
  });
});

describe("a view whose runtime or outer view is closed", () => {
  it.each<[string, (manager: McpManager, outer: ToolView) => Promise<void>]>([
    ["the runtime", (manager) => manager.close()],
    ["the outer view", (_manager, outer) => outer.close()],
  ])("rejects a call with MCP_CLOSED if its filter closes %s", async (_title, close) => {
    const { manager, sessions } = createFixture(["a"]);
    await using _ = manager;
    await manager.start();
    const outer = manager.view({});
    const closes = vi.fn(() => true);
    const view = outer.view({ tools: closes });
    closes.mockImplementation(() => {
      void close(manager, outer);
      return true;
    });
    await expect(view.callTool(ECHO)).rejects.toMatchObject({ code: "MCP_CLOSED", outcome: "not-sent" });
    expect(sessions.get("a")?.requests).toEqual([]);
  });

  it.each(["mcp__a__echo", ECHO])("rejects a call of %j with MCP_CLOSED", async (ref) => {
    const { manager } = createFixture(["a"]);
    await manager.start();
    const view = manager.view({ servers: ["a"] });
    const inner = view.view({});
    await manager.close();
    for (const source of [view, inner])
      await expect(source.callTool(ref)).rejects.toMatchObject({ code: "MCP_CLOSED", outcome: "not-sent" });
  });

  it.each<[string, (manager: McpManager, view: ToolView) => Promise<void>]>([
    ["the runtime", (manager) => manager.close()],
    ["the outer view", (_manager, view) => view.close()],
  ])("rejects viewFor() when %s is closed, even if the filter never settles", async (_title, close) => {
    const { manager } = createFixture(["a"]);
    await using _ = manager;
    await manager.start();
    const view = manager.view({});
    const never = () => new Promise<boolean>(() => {});
    const looking = expect(view.viewFor({ servers: never })).rejects.toMatchObject({ code: "MCP_CLOSED" });
    await close(manager, view);
    await looking;
  });
});
