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
] as const)("over %s, a call that was given up before it was written", (_, start) => {
  test("at once never reaches the server", async () => {
    const server = await start();
    const session = await connect(server as ResolvedServer);
    const controller = new AbortController();
    const given = failureOf(session.request("tools/call", PAY, { signal: controller.signal }));
    controller.abort();
    expect(await given).toMatchObject({ code: "MCP_ABORTED", outcome: "not-sent" });
    // What was on its way would arrive before what is asked after it.
    await session.request("tools/call", PAY);
    expect(calls(server)).toBe(1);
  });

  test("while its login was fetched is not sent when that is there", async () => {
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
