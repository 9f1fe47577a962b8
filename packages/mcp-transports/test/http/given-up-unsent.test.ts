import type { ResolvedServer } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { startHttpServer } from "../http-server.ts";
import { startSseServer } from "../sse-server.ts";

const PAY = { name: "pay", arguments: {} };

const serverInfo = { name: "remote", version: "1" };
const HANDSHAKE = { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo };
const sseServer = () =>
  startSseServer(({ method }) => ({ result: method === "initialize" ? HANDSHAKE : { content: [] } }));

const calls = ({ log }: { readonly log: readonly { readonly what: string }[] }) =>
  log.filter(({ what }) => what === "POST tools/call").length;

describe.each([
  ["Streamable HTTP", () => startHttpServer()],
  ["HTTP+SSE", sseServer],
] as const)("a call over %s that ends before it is written", (_, start) => {
  test("never reaches the server if it is aborted at once", async () => {
    const server = await start();
    const session = await connect(server as ResolvedServer);
    const controller = new AbortController();
    const failure = failureOf(session.request("tools/call", PAY, { signal: controller.signal }));
    controller.abort();
    expect(await failure).toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    // A message in flight would arrive before the next request.
    await session.request("tools/call", PAY);
    expect(calls(server)).toBe(1);
  });

  test("is not sent later if it times out while credentials are fetched", async () => {
    const server = await start();
    let login = Promise.resolve({});
    const auth = { headers: () => login, onChallenge: async () => "fail" as const };
    const session = await connect(server as ResolvedServer, { auth });
    const { promise, resolve } = Promise.withResolvers<object>();
    login = promise;
    const error = await failureOf(session.request("tools/call", PAY, { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "not-sent" });
    expect(error.message).toContain("It was not sent, because no connection or login was ready in time.");
    resolve({});
    await session.request("tools/call", PAY);
    expect(calls(server)).toBe(1);
  });
});
