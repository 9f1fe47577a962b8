import { McpError } from "@jackfield/mcp-core";
import { createFakeSession, stdioDefinition } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFixture, tool } from "./manager-fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const exited = new McpError("MCP_SERVER_EXITED", "It ended with code 3.", { server: "a" });

describe("ready()", () => {
  it("resolves when every server has listed its tools", async () => {
    const { manager, connector } = createFixture(["a", "b"], { byHand: true });
    await using _ = manager;
    const starting = manager.start();
    let isReady = false;
    const ready = manager.ready().then(() => {
      isReady = true;
    });
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await vi.advanceTimersByTimeAsync(100);
    expect(isReady).toBe(false);
    (await connector.nextAttempt()).open(createFakeSession({ tools: [tool("echo")] }));
    await Promise.all([ready, starting]);
    expect(manager.tools()).toHaveLength(2);
  });

  it("leaves out servers that are lazy, were disconnected, or are idle after they were up", async () => {
    const servers = [
      stdioDefinition("lazy", { lazy: true }),
      stdioDefinition("idle"),
      stdioDefinition("off"),
    ];
    const { manager, connector } = createFixture(servers, { limits: { idleTimeoutMs: 1_000 } });
    await using _ = manager;
    await manager.start();
    await manager.disconnect("off");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(manager.servers().every(({ status }) => status === "idle")).toBe(true);
    await manager.ready();
    expect(connector.attempts).toHaveLength(2);
    await manager.ready(["lazy"]);
    expect(connector.attempts.at(-1)?.server.name).toBe("lazy");
  });

  it("rejects after its time with the server's last error, though the server is tried again", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true, retry: { jitter: "none" } });
    await using _ = manager;
    const starting = manager.start();
    (await connector.nextAttempt()).fail(exited);
    await starting;
    const late = {
      code: "MCP_CALL_TIMEOUT",
      message: expect.stringContaining("It ended with code 3."),
      server: "a",
    };
    const checking = expect(manager.ready(["a"], { timeoutMs: 5_000 })).rejects.toMatchObject(late);
    await vi.advanceTimersByTimeAsync(5_000);
    await checking;
  });

  it("rejects at once with what keeps a server from being connected", async () => {
    const { manager, connector } = createFixture(["a"], { byHand: true, retry: { maxRetries: 0 } });
    await using _ = manager;
    const starting = manager.start();
    (await connector.nextAttempt()).fail(exited);
    await starting;
    await expect(manager.ready(undefined, { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: "MCP_SERVER_EXITED",
    });
  });

  it("rejects for a name that no server has, for an aborted signal, and after close()", async () => {
    const { manager } = createFixture(["a"], { byHand: true });
    await expect(manager.ready(["b"])).rejects.toMatchObject({ code: "MCP_SERVER_UNKNOWN" });
    const aborted = manager.ready(["a"], { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: "MCP_ABORTED" });
    await manager.close();
    await expect(manager.ready()).rejects.toMatchObject({ code: "MCP_CLOSED" });
  });
});

describe("close({ drainMs })", () => {
  /** A manager whose calls are answered when the test says so. */
  async function calling(drainMs: number, user?: string) {
    const answer = Promise.withResolvers<unknown>();
    const { manager, connector } = createFixture(["a"], { byHand: true });
    const starting = manager.start();
    const opened = async () =>
      (await connector.nextAttempt()).open(
        createFakeSession({
          tools: [tool("echo")],
          answer: (method) => (method === "tools/call" ? answer.promise : {}),
        }),
      );
    await opened();
    await starting;
    let source = manager;
    if (user !== undefined) {
      source = manager.forPrincipal(user);
      const userStarting = source.start();
      await opened();
      await userStarting;
    }
    const call = source.callTool("mcp__a__echo");
    const outcome = call.then(
      () => "answered",
      (error: McpError) => `${error.code} ${error.outcome}`,
    );
    await vi.advanceTimersByTimeAsync(0);
    const closing = manager.close({ drainMs });
    return { manager, source, answer, outcome, closing };
  }

  it.each([undefined, "ann"])("lets a call of user %s end, and refuses new ones at once", async (user) => {
    const { source, answer, outcome, closing } = await calling(10_000, user);
    await expect(source.callTool("mcp__a__echo")).rejects.toMatchObject({
      code: "MCP_CLOSED",
      outcome: "not-sent",
    });
    await vi.advanceTimersByTimeAsync(3_000);
    answer.resolve({ content: [] });
    await closing;
    expect(await outcome).toBe("answered");
  });

  it("ends what is still under way after that time", async () => {
    const { outcome, closing } = await calling(1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    await closing;
    expect(await outcome).toBe("MCP_CLOSED unknown");
  });

  it("ends it at once when close() is called again without a time", async () => {
    const { manager, outcome, closing } = await calling(60_000);
    await manager.close();
    await closing;
    expect(await outcome).toBe("MCP_CLOSED unknown");
  });

  it("does not wait if nothing is under way, and refuses a time that is none", async () => {
    const { manager } = createFixture(["a"]);
    await manager.start();
    await expect(manager.close({ drainMs: Number.NaN })).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
    });
    await manager.close({ drainMs: 60_000 });
    expect(vi.getTimerCount()).toBe(0);
  });
});
