import { type Connector, McpError, type Session } from "@jackfield/mcp-core";
import {
  createFakeSession,
  createFakeToolCache,
  passThroughResolver,
  stdioDefinition,
} from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMcpManager, type McpManagerOptions } from "../../src/index.ts";
import { createFixture, tool } from "../manager-fixture.ts";

// The R numbers here are those of the fault catalogue, not of the cases from earlier runtimes (docs/coverage.md).

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeEach(() => {
  vi.useFakeTimers();
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => {
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const broken = () => new Error("not even an McpError");

function sessionWith(change: Partial<Session>): Connector {
  return async () => Object.assign(createFakeSession({ tools: [tool("echo")] }), change);
}

const FAULTS: Record<string, Connector> = {
  "throws instead of rejecting": () => {
    throw broken();
  },
  "rejects with a plain Error": () => Promise.reject(broken()),
  "rejects with an object that has no prototype": () => Promise.reject(Object.create(null)),
  "never connects": () => new Promise(() => {}),
  "fails its listing with a plain Error": sessionWith({ list: () => Promise.reject(broken()) }),
  "throws from list()": sessionWith({
    list: () => {
      throw broken();
    },
  }),
  "never answers a listing": sessionWith({ list: () => new Promise(() => {}) }),
  "throws from request()": sessionWith({
    request: () => {
      throw broken();
    },
  }),
  "never closes": sessionWith({ close: () => new Promise(() => {}) }),
  "throws from close()": sessionWith({
    close: () => {
      throw broken();
    },
  }),
  "is lost before its first use": async () => {
    const session = createFakeSession();
    session.lose(new McpError("MCP_SERVER_EXITED", "exited"));
    return session;
  },
};

describe("a faulty server", () => {
  it.each(Object.keys(FAULTS))(
    "[R51] that %s affects no other server and lets close() finish",
    async (fault) => {
      const good = createFakeSession({ tools: [tool("echo")] });
      const manager = createMcpManager({
        servers: [stdioDefinition("bad"), stdioDefinition("good")],
        resolve: passThroughResolver,
        limits: { closeTimeoutMs: 1_000 },
        retry: { maxRetries: 2, jitter: "none" },
        connect: async (server, options) =>
          server.name === "good" ? good : await (FAULTS[fault] as Connector)(server, options),
      });
      const starting = manager.start().catch((error: McpError) => error.code);
      await vi.advanceTimersByTimeAsync(0);
      const calling = manager.callTool({ server: "bad", tool: "echo" }, {}, { timeoutMs: 90_000 });
      const settled = calling.then(
        () => "answered",
        ({ name }) => name,
      );
      await expect(manager.callTool({ server: "good", tool: "echo" })).resolves.toBeDefined();
      await vi.advanceTimersByTimeAsync(90_000);
      await expect(manager.callTool("mcp__good__echo")).resolves.toBeDefined();
      const closing = manager.close();
      await vi.advanceTimersByTimeAsync(1_000);
      await closing;
      expect(["answered", "McpError"]).toContain(await settled);
      await starting;
      expect(good.closed).toBe(true);
    },
  );
});

describe("a faulty host", () => {
  const throws = () => {
    throw broken();
  };
  const HOSTS: Record<string, Partial<McpManagerOptions>> = {
    logger: { log: throws },
    catalog: {
      cache: {
        ...createFakeToolCache(),
        getMany: () => Promise.reject(broken()),
        set: () => Promise.reject(broken()),
      },
    },
    "synchronous catalog": { cache: { ...createFakeToolCache(), set: throws, identify: throws } },
    "tool policy": { toolPolicies: [throws] },
    middleware: { use: [throws] },
  };

  it.each(Object.keys(HOSTS))(
    "[R60] with a %s that throws still starts and recovers its server",
    async (part) => {
      const { manager, sessions } = createFixture(["a"], HOSTS[part] ?? {});
      const report = await manager.start();
      expect(report.ready).toMatchObject([{ name: "a" }]);
      sessions.get("a")?.lose(new McpError("MCP_SERVER_EXITED", "exited"));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(manager.servers()).toMatchObject([{ status: "ready" }]);
      await manager.callTool({ server: "a", tool: "echo" }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(McpError);
      });
      await manager.close();
    },
  );

  it("[R60] with listeners that throw or reject still gets every event in the others", async () => {
    const { manager } = createFixture(["a"]);
    const heard: string[] = [];
    for (const event of ["statusChanged", "toolsChanged"] as const) {
      manager.on(event, throws);
      manager.on(event, async () => throws());
      manager.on(event, () => heard.push(event));
    }
    await manager.start();
    expect(heard).toEqual(["statusChanged", "statusChanged", "toolsChanged"]);
    await manager.close();
  });
});
