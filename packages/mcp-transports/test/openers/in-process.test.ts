import type { ResolvedInProcessServer } from "@jackfield/mcp-core";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { expect, test, vi } from "vitest";
import { connect, failToConnect } from "../connecting.ts";

function calculator(): McpServer {
  const server = new McpServer({ name: "calculator", version: "1.0.0" });
  const inputSchema = fromJsonSchema<{ a: number; b: number }>({
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  });
  server.registerTool("add", { inputSchema }, async ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  return server;
}

const inProcess = (server: ResolvedInProcessServer["server"]): ResolvedInProcessServer => ({
  transport: "in-process",
  name: "calculator",
  secrets: [],
  server,
});

test("a server of this process is connected, called and let go", async () => {
  const server = calculator();
  for (const _ of [1, 2]) {
    const session = await connect(inProcess(server));
    const result = await session.request("tools/call", { name: "add", arguments: { a: 1, b: 2 } });
    expect(result.content).toEqual([{ type: "text", text: "3" }]);
    await session.close();
  }
});

test("a server that is made for the session is closed with it", async () => {
  const server = calculator();
  const close = vi.spyOn(server, "close");
  const session = await connect(inProcess(async () => server));
  expect(session.handshake.serverInfo).toEqual({ name: "calculator", version: "1.0.0" });
  expect(close).not.toHaveBeenCalled();
  await session.close();
  expect(close).toHaveBeenCalled();
});

test("a server that cannot be made rejects the connection", async () => {
  const error = await failToConnect(
    inProcess(() => {
      throw new Error("no database");
    }),
  );
  expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", server: "calculator" });
  expect(error.message).toContain("no database");
});

test("[C7] a server that fails to connect or to close does not hide why the connection failed", async () => {
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

test("a server whose making takes too long is let go when it comes after all", async () => {
  const { promise, resolve } = Promise.withResolvers<McpServer>();
  const server = calculator();
  const closed = new Promise<void>((done) =>
    vi.spyOn(server, "close").mockImplementation(async () => done()),
  );
  const limits = { connectTimeoutMs: 50 };
  const error = await failToConnect({ ...inProcess(() => promise), limits });
  expect(error.code).toBe("MCP_CONNECT_TIMEOUT");
  resolve(server);
  await closed;
});
