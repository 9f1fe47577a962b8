import { McpError, type ResolvedServer, type SessionRequestOptions } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { count, ECHO, open } from "../http/remote.ts";
import { on, startHttpServer } from "../http-server.ts";
import { scriptedServer } from "../scripted-server.ts";
import { startSseServer } from "../sse-server.ts";

const PAY = { name: "pay", arguments: {} };
const changed = new McpError("MCP_TOOL_CHANGED", "it is another one", { outcome: "not-sent" });
const serverInfo = { name: "remote", version: "1" };
const HANDSHAKE = { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo };
const calls = ({ log }: { readonly log: readonly { readonly what: string }[] }) =>
  log.filter(({ what }) => what === "POST tools/call").length;

test.each<[string, { isModern: boolean }, SessionRequestOptions]>([
  ["of the legacy era", { isModern: false }, {}],
  ["of the modern era", { isModern: true }, {}],
  ["whose questions the caller answers", { isModern: true }, { inputRequired: "return" }],
])("a request %s that its caller refuses is not written to a process", async (_which, era, options) => {
  const server = scriptedServer((message, { answer }) => {
    if (message.method !== "tools/call") return undefined;
    answer({ content: [], resultType: "complete" });
    return true;
  }, era);
  const session = await connect(server);
  const refusing = { ...options, refusal: () => changed };
  const error = await failureOf(session.request("tools/call", PAY, refusing));
  expect(error).toMatchObject({ code: "MCP_TOOL_CHANGED", outcome: "not-sent" });
  await session.request("tools/call", PAY, { ...options, refusal: () => undefined });
  expect(server.received().filter(({ method }) => method === "tools/call")).toHaveLength(1);
});

test("a request that its caller refuses does not reach a server in this process", async () => {
  const { createServer } = await import("../fixtures/sdk-one-server.mjs");
  const session = await connect({
    transport: "in-process",
    name: "calculator",
    secrets: [],
    server: createServer,
  });
  const add = { name: "add", arguments: { a: 1, b: 2 } };
  const error = await failureOf(session.request("tools/call", add, { refusal: () => changed }));
  expect(error).toMatchObject({ code: "MCP_TOOL_CHANGED", outcome: "not-sent" });
  expect(await session.request("tools/call", add)).toMatchObject({ structuredContent: { sum: 3 } });
});

describe.each([
  ["Streamable HTTP", () => startHttpServer()],
  [
    "HTTP+SSE",
    () => startSseServer(({ method }) => ({ result: method === "initialize" ? HANDSHAKE : { content: [] } })),
  ],
] as const)("a request over %s", (_, start) => {
  test("is not written if its caller refuses it while credentials are fetched", async () => {
    const server = await start();
    let login = Promise.resolve({});
    const auth = { headers: () => login, onChallenge: async () => "fail" as const };
    const session = await connect(server as ResolvedServer, { auth });
    const { promise, resolve } = Promise.withResolvers<object>();
    login = promise;
    let refusal: McpError | undefined;
    const failure = failureOf(session.request("tools/call", PAY, { refusal: () => refusal }));
    refusal = changed;
    resolve({});
    expect(await failure).toMatchObject({ code: "MCP_TOOL_CHANGED", outcome: "not-sent" });
    await session.request("tools/call", PAY);
    expect(calls(server)).toBe(1);
  });
});

test("a request is not repeated after a challenge if its caller refuses it meanwhile", async () => {
  const server = await startHttpServer(
    on("tools/call", ({ status }) => status(401, { "www-authenticate": "Bearer" })),
  );
  let refusal: McpError | undefined;
  const onChallenge = async () => {
    refusal = changed; // A login takes its time.
    return "retry" as const;
  };
  const session = await connect(server, { auth: { headers: async () => ({}), onChallenge } });
  const error = await failureOf(session.request("tools/call", PAY, { refusal: () => refusal }));
  expect(error).toMatchObject({ code: "MCP_TOOL_CHANGED", outcome: "not-sent" });
  expect(calls(server)).toBe(1);
});

test("a request is not repeated in a renewed session if its caller refuses it there", async () => {
  const { remote, session } = await open();
  let isRenewed = false;
  session.onRenewed(() => {
    isRenewed = true;
  });
  remote.forgetSessions();
  const before = count(remote, "tools/call");
  const refusal = () => (isRenewed ? changed : undefined);
  const error = await failureOf(session.request("tools/call", ECHO, { refusal }));
  expect(error).toMatchObject({ code: "MCP_TOOL_CHANGED", outcome: "not-sent" });
  expect(count(remote, "tools/call")).toBe(before + 1);
});
