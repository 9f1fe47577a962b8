import type { InProcessServer, ResolvedInProcessServer } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failToConnect, failureOf } from "./connecting.ts";

const never = { signal: new AbortController().signal };
const ADD = { name: "add", arguments: { a: 1, b: 2 } };

const inProcess = (server: ResolvedInProcessServer["server"]): ResolvedInProcessServer => ({
  transport: "in-process",
  name: "calculator",
  secrets: [],
  server,
});

const SDKS = [
  ["@modelcontextprotocol/sdk 1", () => import("./fixtures/sdk-one-server.mjs")],
  ["@modelcontextprotocol/server 2", () => import("./fixtures/sdk-two-server.mjs")],
] as const;

describe.each(SDKS)("an in-process server made with %s", (_, load) => {
  const make = async () => (await load()).createServer();

  test("can be connected, listed, called and closed", async () => {
    const session = await connect(inProcess(make));
    expect(session.handshake).toMatchObject({
      serverInfo: { name: "calculator", version: "1.0.0" },
      capabilities: { tools: {} },
    });
    const { items } = await session.list("tools", never);
    expect(items.map(({ name }) => name)).toEqual(["add", "wait"]);
    const result = await session.request("tools/call", ADD);
    expect(result).toMatchObject({ content: [{ type: "text", text: "3" }], structuredContent: { sum: 3 } });
    const wrong = await session.request("tools/call", { name: "add", arguments: { a: 1 } });
    expect(wrong.isError).toBe(true);
    await session.close();
    expect(await failureOf(session.request("tools/call", ADD))).toMatchObject({ outcome: "not-sent" });
  });

  test("learns of an aborted call, and may send notifications", async () => {
    const server = await make();
    const aborted = new Promise<void>((resolve) => {
      server.onaborted = resolve;
    });
    const session = await connect(inProcess(() => server));
    const begun = new Promise((resolve) => session.onNotification(({ method }) => resolve(method)));
    const controller = new AbortController();
    const failing = failureOf(session.request("tools/call", { name: "wait" }, { signal: controller.signal }));
    expect(await begun).toBe("notifications/tools/list_changed");
    controller.abort();
    expect(await failing).toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
    await aborted;
  });

  test("ends the session when it closes itself", async () => {
    const server = await make();
    const session = await connect(inProcess(server));
    const ended = new Promise((resolve) => session.onClose(resolve));
    await server.close();
    expect(await ended).toMatchObject({ code: "MCP_SESSION_LOST" });
  });

  test("serves one session at a time if it is given as an instance", async () => {
    const server = await make();
    const close = vi.spyOn(server, "close");
    for (const _ of [1, 2]) {
      const session = await connect(inProcess(server));
      expect((await failToConnect(inProcess(server))).code).toBe("MCP_CONNECT_FAILED");
      expect((await session.request("tools/call", ADD)).content).toEqual([{ type: "text", text: "3" }]);
      await session.close();
    }
    expect(close).not.toHaveBeenCalled();
  });

  test("may be created by a module's export, and is closed with its session", async () => {
    const server = await make();
    const close = vi.spyOn(server, "close");
    const session = await connect(inProcess(() => ({ createServer: async () => server })));
    expect(close).not.toHaveBeenCalled();
    await session.close();
    expect(close).toHaveBeenCalled();
  });

  test("may be given as the import of a module", async () => {
    const sessions = await Promise.all([connect(inProcess(load)), connect(inProcess(load))]);
    for (const session of sessions)
      expect((await session.request("tools/call", ADD)).content).toEqual([{ type: "text", text: "3" }]);
  });

  test.each(["default", "server", "createServer"])(
    "may be an instance exported as %s, which stays open when the session closes",
    async (name) => {
      const server = await make();
      const close = vi.spyOn(server, "close");
      const session = await connect(inProcess(() => ({ [name]: server })));
      expect((await session.list("tools", never)).items).toHaveLength(2);
      await session.close();
      expect(close).not.toHaveBeenCalled();
    },
  );
});

describe("a server function", () => {
  const { promise: unused } = Promise.withResolvers<void>();
  const named = (): InProcessServer & { readonly connect: ReturnType<typeof vi.fn> } => ({
    connect: vi.fn(() => unused),
  });
  const limits = { connectTimeoutMs: 50 };

  test("that returns a module provides its `server` before its `createServer`, and no unusable `default`", async () => {
    const [first, second] = [named(), named()];
    const module = { createServer: () => second, server: first, default: { version: 1 } };
    const source = (() => module) as unknown as ResolvedInProcessServer["server"];
    expect((await failToConnect({ ...inProcess(source), limits })).code).toBe("MCP_CONNECT_TIMEOUT");
    expect(first.connect).toHaveBeenCalledOnce();
    expect(second.connect).not.toHaveBeenCalled();
  });

  test.each([
    ["nothing", undefined],
    ["a string", "server"],
    ["a module without a known export", { start: () => {} }],
    ["a module whose function creates no server", { default: () => ({ listen: () => {} }) }],
  ])("is refused with the allowed export names if it returns %s", async (_, given) => {
    const source = (() => given) as unknown as ResolvedInProcessServer["server"];
    const error = await failToConnect(inProcess(source));
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", server: "calculator" });
    expect(error.message).toContain('"default", "server" or "createServer"');
  });

  test("that throws fails the connection with its message", async () => {
    const error = await failToConnect(
      inProcess(() => {
        throw new Error("no database");
      }),
    );
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", server: "calculator" });
    expect(error.message).toContain("no database");
  });

  test("that rejects with a value without text fails the connection", async () => {
    const error = await failToConnect(inProcess(() => Promise.reject(Object.create(null))));
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", server: "calculator" });
    expect(error.message).toContain("failed: a value without a text. Correct it");
  });

  test.each([
    ["that imports a missing module", () => import(`file:///nowhere/${"server"}.mjs`)],
    ["whose module fails with ECONNREFUSED", () => ({ default: failLikeConnection })],
  ])("%s is reported as a fault of the function, not of an address", async (_, source) => {
    const error = await failToConnect(inProcess(source as ResolvedInProcessServer["server"]));
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", server: "calculator", phase: "handshake" });
    expect(error.message).toMatch(/^The function in the entry of server "calculator" failed: .*nowhere/);
    expect(error.message).not.toContain("address");
  });

  test("that returns a server after the connect deadline has it closed", async () => {
    const { promise, resolve } = Promise.withResolvers<InProcessServer>();
    const closed = Promise.withResolvers<void>();
    const error = await failToConnect({ ...inProcess(() => promise), limits });
    expect(error.code).toBe("MCP_CONNECT_TIMEOUT");
    resolve({ connect: async () => {}, close: async () => closed.resolve() });
    await closed.promise;
  });
});

test("[C7] a failing close() does not hide why connect() failed", async () => {
  const broken = {
    connect: async () => {
      throw new Error("already connected elsewhere");
    },
    close: async () => {
      throw new Error("not connected");
    },
  };
  const error = await failToConnect(inProcess(() => broken));
  expect(error.message).toContain("already connected elsewhere");
});

test("changing a listed tool does not change the tool of the server", async () => {
  const number = { type: "number" };
  const kept = { name: "add", inputSchema: { type: "object", properties: { a: number, b: number } } };
  const { Server } = await import("@modelcontextprotocol/server");
  const server = new Server({ name: "calculator", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [kept as never] }));
  const session = await connect(inProcess(server));
  const [tool] = (await session.list("tools", never)).items;
  Object.assign(tool?.inputSchema.properties?.a ?? {}, { type: "string" });
  expect(tool?.inputSchema.properties?.a).toEqual({ type: "string" });
  expect(kept.inputSchema.properties.a).toEqual({ type: "number" });
});

async function failLikeConnection(): Promise<never> {
  throw Object.assign(new Error("connect ECONNREFUSED nowhere"), { code: "ECONNREFUSED" });
}
