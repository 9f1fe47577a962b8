import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import {
  type Connector,
  type JsonObject,
  McpError,
  type ServerDefinition,
  type Session,
} from "@jackfield/mcp-core";
import { httpDefinition, passThroughResolver } from "@jackfield/test-kit";
import { onTestFinished } from "vitest";
import { createMcpManager, type McpManager, type McpManagerOptions } from "../src/index.ts";
import { tool } from "./manager-fixture.ts";

/** How a request is answered. `die`: all connections end instead; `break`: only its own does. */
type Answer = (method: string) => JsonObject | "die" | "break" | Promise<JsonObject>;

export interface RealServer {
  /** The methods of all requests, also of those before a restart. */
  readonly asked: readonly string[];
  /** Refuses new connections; requests in flight go on. */
  refuse(): void;
  /** Stops it and all its connections; its sessions are forgotten. */
  stop(): Promise<void>;
  /** Starts it on the same port again. */
  startAgain(): Promise<void>;
}

/**
 * A server with one tool on a real port, and a manager that connects to it with the parts of HTTP that can break.
 *
 * @param withIds - whether it assigns session ids, and answers unknown ones with HTTP 404
 * @param capabilities - what it declares
 */
export async function overHttp(
  {
    withIds = false,
    capabilities = { tools: {} },
    answer = answered,
  }: { readonly withIds?: boolean; readonly capabilities?: JsonObject; readonly answer?: Answer },
  options: Partial<McpManagerOptions> = {},
): Promise<{ manager: McpManager; server: RealServer; definition: ServerDefinition }> {
  const server = createOneToolServer(withIds, answer);
  await server.startAgain();
  const definition = httpDefinition("a", { url: `http://127.0.0.1:${server.port}/` });
  const manager = createMcpManager({
    servers: [definition],
    connect: connectOverHttp(capabilities),
    resolve: passThroughResolver,
    retry: { initialDelayMs: 20, jitter: "none", maxRetries: 100, factor: 1 },
    ...options,
  });
  onTestFinished(async () => {
    await manager.close();
    await server.stop();
  });
  return { manager, server, definition };
}

function answered(method: string): JsonObject {
  return method === "tools/list" ? { items: [tool("echo")] } : { content: [] };
}

function createOneToolServer(withIds: boolean, answer: Answer) {
  const asked: string[] = [];
  const sessions = new Set<string | undefined>(withIds ? [] : [undefined]);
  const open = () => createServer((incoming, response) => void respond(incoming, response));
  let http = open();
  let port = 0;

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, session } = JSON.parse(await text(incoming));
    asked.push(method);
    if (method === "initialize") {
      const id = withIds ? randomUUID() : undefined;
      sessions.add(id);
      response.end(JSON.stringify({ id }));
    } else if (!sessions.has(session)) response.writeHead(404).end();
    else {
      const result = await answer(method);
      if (result === "die") http.closeAllConnections();
      else if (result === "break") incoming.socket.destroy();
      else response.end(JSON.stringify(result));
    }
  }

  return {
    asked,
    get port() {
      return port;
    },
    refuse: () => void http.close(),
    async stop() {
      if (withIds) sessions.clear();
      const closed = new Promise((resolve) => http.close(resolve));
      http.closeAllConnections();
      await closed;
    },
    async startAgain() {
      http = open();
      await new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve));
      port = (http.address() as AddressInfo).port;
    },
  };
}

const connectOverHttp =
  (capabilities: JsonObject): Connector =>
  async (server) => {
    const url = "url" in server ? server.url : "";
    const { id } = await post(url, { method: "initialize" });
    const ended = Promise.withResolvers<McpError | undefined>();
    let end: { readonly cause: McpError | undefined } | undefined;
    const finish = (cause: McpError | undefined) => {
      end ??= { cause };
      setImmediate(() => ended.resolve(cause)); // The request rejects first.
    };
    const ask = async (method: string) => {
      if (end !== undefined) throw new McpError("MCP_CLOSED", "closed", { outcome: "not-sent" });
      return await post(url, { method, session: id }).catch((error: McpError) => {
        if (error.httpStatus === 404) finish(error);
        throw error;
      });
    };
    const session: Session = {
      handshake: {
        era: "legacy",
        protocolVersion: "2025-11-25",
        serverInfo: { name: "one-tool", version: "1" },
        capabilities,
        prior: { era: "legacy", at: Date.now() },
      },
      list: async (kind) => (await ask(`${kind}/list`)) as never,
      request: async (method) => (await ask(method)) as never,
      onNotification: () => () => {},
      onRenewed: () => () => {},
      onClose(listener) {
        void ended.promise.then(listener);
        return () => {};
      },
      close: async () => finish(undefined),
      [Symbol.asyncDispose]: async () => finish(undefined),
    };
    return session;
  };

/** One connection per request. If it is refused, nothing was sent; if it breaks later, the request may have run. */
function post(url: string, message: object): Promise<{ readonly id?: string }> {
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const broken = (error: Error) =>
      reject(
        isConnected
          ? new McpError("MCP_OUTCOME_UNKNOWN", error.message, { outcome: "unknown" })
          : new McpError("MCP_SESSION_LOST", error.message, { outcome: "not-sent" }),
      );
    const sent = request(url, { method: "POST", agent: false }, async (response) => {
      const body = await text(response);
      if (response.statusCode === 200) resolve(JSON.parse(body));
      else reject(new McpError("MCP_SESSION_LOST", "HTTP 404", { outcome: "rejected", httpStatus: 404 }));
    });
    sent.on("socket", (socket) => socket.on("connect", () => (isConnected = true)));
    sent.on("error", broken);
    sent.end(JSON.stringify(message));
  });
}
