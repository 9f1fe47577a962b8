import { type CallOptions, McpError, type ToolDescriptor } from "@jackfield/mcp-core";
import { createFakeSession, type FakeConnector, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { McpManager, ToolView } from "../../src/index.ts";
import { createFixture, tool } from "../manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ECHO = { server: "a", tool: "echo" };
const UNKNOWN = { code: "MCP_TOOL_UNKNOWN", outcome: "not-sent" };

/** Servers of which nothing is known: only a call wakes them. */
async function unlisted() {
  const servers = ["a", "b"].map((name) => stdioDefinition(name, { lazy: true }));
  const { manager, connector } = createFixture(servers, { byHand: true, retry: { maxRetries: 0 } });
  await manager.start();
  return { manager, connector };
}

/** The server that a call has woken. */
async function comesUp(connector: FakeConnector) {
  const session = createFakeSession({ tools: [tool("echo"), tool("secret")] });
  (await connector.nextAttempt()).open(session);
  return session;
}

const isEcho = ({ originalName }: ToolDescriptor) => originalName === "echo";

describe("a call through a view, of a tool that was never listed", () => {
  it.each<[string, (manager: McpManager) => Promise<ToolView> | ToolView]>([
    ["by name", (manager) => manager.view({ servers: ["a"] })],
    ["by its tools", (manager) => manager.view({ tools: ["echo"] })],
    ["by a function", (manager) => manager.view({ tools: isEcho })],
    ["within another", (manager) => manager.view({ servers: ["a"] }).view({ tools: isEcho })],
    ["by what it looks up", (manager) => manager.viewFor({ tools: async (found) => isEcho(found) })],
    [
      "by what both look up",
      async (manager) => (await manager.viewFor({ servers: async () => true })).viewFor({ tools: isEcho }),
    ],
  ])("waits for its server as the runtime does: let through %s", async (_title, viewOf) => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const view = await viewOf(manager);
    const calling = view.callTool(ECHO, {}, { timeoutMs: 1_000 });
    await vi.advanceTimersByTimeAsync(400);
    const session = await comesUp(connector);
    await expect(calling).resolves.toMatchObject({ content: [{ type: "text" }] });
    expect(session.requests).toMatchObject([{ method: "tools/call", options: { timeoutMs: 600 } }]);
  });

  it.each<[string, (manager: McpManager) => Promise<ToolView> | ToolView]>([
    ["by name", (manager) => manager.view({ tools: ["echo"] })],
    ["by what it looks up", (manager) => manager.viewFor({ tools: async (found) => isEcho(found) })],
  ])("sends nothing to a tool that is hidden %s, and names no other", async (_title, viewOf) => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const view = await viewOf(manager);
    const message = 'This view offers no tool "secret".';
    const call = view.callTool({ server: "a", tool: "secret" });
    const refused = expect(call).rejects.toMatchObject({ ...UNKNOWN, message });
    const session = await comesUp(connector);
    await refused;
    const near = expect(view.callTool({ server: "a", tool: "secre" })).rejects;
    await near.toMatchObject({ ...UNKNOWN, message: 'This view offers no tool "secre".' });
    expect(session.requests).toEqual([]);
  });

  it("wakes no server that the view hides, and names none", async () => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    await expect(manager.view({ servers: ["b"] }).callTool(ECHO)).rejects.toMatchObject(UNKNOWN);
    const other = manager.view({ servers: (name) => name !== "b" }).callTool({ server: "c", tool: "echo" });
    await expect(other).rejects.toMatchObject({ ...UNKNOWN, message: 'This view offers no tool "echo".' });
    expect(connector.attempts).toEqual([]);
  });

  it("says why the server cannot be reached, as the runtime does", async () => {
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

  it("asks the filter once, whoever waits for what it says", async () => {
    const { manager, connector } = await unlisted();
    await using _ = manager;
    const tools = vi.fn(async (found: ToolDescriptor) => isEcho(found));
    const view = await manager.viewFor({ tools });
    const calls = [view.callTool(ECHO), view.callTool(ECHO)];
    await comesUp(connector);
    await Promise.all(calls);
    expect(tools.mock.calls.map(([{ originalName }]) => originalName).sort()).toEqual(["echo", "secret"]);
  });

  it.each<[string, CallOptions, (view: ToolView, manager: McpManager, caller: AbortController) => void]>([
    ["MCP_CALL_TIMEOUT", { timeoutMs: 1_000 }, () => vi.advanceTimersByTime(1_000)],
    ["MCP_ABORTED", {}, (_view, _manager, caller) => caller.abort()],
    ["MCP_CLOSED", {}, (view) => void view.close()],
    ["MCP_CLOSED", {}, (_view, manager) => void manager.close()],
  ])("ends with %s though its filter never answers", async (code, options, end) => {
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
    const session = await comesUp(connector);
    await asked.promise;
    await vi.advanceTimersByTimeAsync(0);
    end(view, manager, caller);
    await ended;
    expect(session.requests).toEqual([]);
  });

  it("ends with the view it was made through, though its server goes on", async () => {
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

describe("a view within another", () => {
  it.each([
    ["takes back what it showed", (shown: Set<string>) => void shown.clear(), UNKNOWN],
    [
      "is closed",
      (_shown: Set<string>, outer: ToolView) => void outer.close(),
      { code: "MCP_CLOSED", outcome: "not-sent" },
    ],
  ])(
    "sends nothing where the outer one %s while the inner one looks something up",
    async (_title, end, expected) => {
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
      const session = await comesUp(connector);
      await looking.promise;
      await vi.advanceTimersByTimeAsync(0); // The outer one has let it through by now.
      end(shown, outer);
      found.resolve(true);
      await refused;
      expect(session.requests).toEqual([]);
    },
  );
});

describe("a view of a runtime that is closed", () => {
  it.each<[string, (manager: McpManager, outer: ToolView) => Promise<void>]>([
    ["it", (manager) => manager.close()],
    ["the view it is of", (_manager, outer) => outer.close()],
  ])("says so to a call whose filter closes %s", async (_title, close) => {
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

  it.each(["mcp__a__echo", ECHO])("says so to a call of %j", async (ref) => {
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
    ["the view it is of", (_manager, view) => view.close()],
  ])(
    "is not waited for any longer once %s is closed, though its filter never answers",
    async (_title, close) => {
      const { manager } = createFixture(["a"]);
      await using _ = manager;
      await manager.start();
      const view = manager.view({});
      const never = () => new Promise<boolean>(() => {});
      const looking = expect(view.viewFor({ servers: never })).rejects.toMatchObject({ code: "MCP_CLOSED" });
      await close(manager, view);
      await looking;
    },
  );
});
