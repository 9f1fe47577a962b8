import type { AuthPort } from "@jackfield/mcp-core";
import { expect, test, vi } from "vitest";
import { connect, failToConnect } from "../connecting.ts";
import { type HttpExchange, on, startHttpServer } from "../http-server.ts";

const SESSION = { "mcp-session-id": "session-1" };

/** Answers with the id of a new session and the given body or members. */
const begin =
  (answer: string | object) =>
  ({ message: { id }, status }: HttpExchange) => {
    const body = typeof answer === "string" ? answer : JSON.stringify({ jsonrpc: "2.0", id, ...answer });
    status(200, { ...SESSION, "content-type": "application/json" }, body);
  };

const SERVER = { capabilities: {}, serverInfo: { name: "x", version: "1" } };

/** More than the earlier messages need on a busy machine. */
const PATIENCE = { connectTimeoutMs: 800 };

test.each<readonly [string, string, (exchange: HttpExchange) => void, object]>([
  ["answers invalid JSON", "initialize", begin("{"), { code: "MCP_PROTOCOL_VIOLATED" }],
  [
    "answers with an error",
    "initialize",
    begin({ error: { code: -32603, message: "No" } }),
    { code: "MCP_CONNECT_FAILED", rpcCode: -32603 },
  ],
  [
    "speaks an unknown protocol version",
    "initialize",
    begin({ result: { ...SERVER, protocolVersion: "1999-01-01" } }),
    { code: "MCP_PROTOCOL_UNSUPPORTED" },
  ],
  [
    "refuses notifications/initialized",
    "notifications/initialized",
    ({ status }) => status(500),
    { code: "MCP_CONNECT_FAILED", httpStatus: 500 },
  ],
  [
    "answers notifications/initialized with 401",
    "notifications/initialized",
    ({ status }) => status(401),
    { code: "MCP_AUTH_REQUIRED", httpStatus: 401 },
  ],
])("a server that begins a session and %s gets a DELETE", async (_, method, act, failure) => {
  const server = await startHttpServer(on(method, act));
  expect(await failToConnect(server)).toMatchObject(failure);
  expect(server.log.at(-1)).toMatchObject({ what: "DELETE", headers: SESSION });
});

test.each<readonly [string, string, (exchange: HttpExchange) => void]>([
  [
    "during its answer",
    "initialize",
    ({ response }) =>
      response.writeHead(200, { ...SESSION, "content-type": "text/event-stream" }).write(": soon\n\n"),
  ],
  ["at the end of the handshake", "notifications/initialized", () => {}],
])("a server that begins a session and falls silent %s gets a DELETE", async (_, method, act) => {
  const server = await startHttpServer(on(method, act), { limits: PATIENCE });
  expect(await failToConnect(server)).toMatchObject({ code: "MCP_CONNECT_TIMEOUT" });
  expect(server.log.at(-1)).toMatchObject({ what: "DELETE", headers: SESSION });
});

test.each([401, 403] as const)(
  "a DELETE that is answered with %d was sent with the current credentials, and starts no login",
  async (status) => {
    const server = await startHttpServer(({ request, status: answer }) => {
      if (request.method !== "DELETE") return undefined;
      answer(status, { "www-authenticate": 'Bearer error="insufficient_scope"' });
      return true;
    });
    const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => "retry");
    const session = await connect(server, {
      auth: { headers: async () => ({ authorization: "Bearer mine" }), onChallenge },
    });
    await session.close();
    const deletions = server.log.filter(({ what }) => what === "DELETE");
    expect(deletions).toMatchObject([{ headers: { ...SESSION, authorization: "Bearer mine" } }]);
    expect(onChallenge).not.toHaveBeenCalled();
  },
);
