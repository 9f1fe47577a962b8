import { once } from "node:events";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { PriorHandshake, ToolDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { on, startHttpServer } from "../http-server.ts";
import { count, ECHO, never, open } from "./remote.ts";

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const handlers = { elicit: async () => ({ action: "decline" as const }) };

/** The headers that mirror the message. */
const mirrored = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith("mcp-") && name !== "mcp-session-id"),
  );

describe("a message to a modern server", () => {
  test("carries version, client and capabilities in _meta, and version, method and name in headers", async () => {
    const { remote, session } = await open(
      {
        era: "modern",
        prompts: [{ name: "greeting" }],
        resources: [{ uri: "memo://ü", name: "memo" }],
      },
      { handlers },
    );
    await session.list("tools", { signal: never });
    await session.request("tools/call", ECHO);
    await session.request("prompts/get", { name: "greeting" });
    await session.request("resources/read", { uri: "memo://ü" });
    const version = { "mcp-protocol-version": VERSION };
    const told = remote.requests.filter(({ body }) => body?.method !== "subscriptions/listen");
    expect(told.map(({ headers }) => mirrored(headers))).toEqual([
      { ...version, "mcp-method": "server/discover" },
      { ...version, "mcp-method": "tools/list" },
      { ...version, "mcp-method": "tools/call", "mcp-name": "echo" },
      { ...version, "mcp-method": "prompts/get", "mcp-name": "greeting" },
      { ...version, "mcp-method": "resources/read", "mcp-name": "=?base64?bWVtbzovL8O8?=" },
    ]);
    for (const { body } of remote.requests)
      expect(body?.params?._meta).toMatchObject({
        [`${META}protocolVersion`]: VERSION,
        [`${META}clientInfo`]: { name: "jackfield", version: expect.any(String) },
        [`${META}clientCapabilities`]: { elicitation: { form: {}, url: {} } },
      });
    expect(remote.violations).toEqual([]);
  });

  test("announces the extensions that the program understands, as the handshake of a legacy server does", async () => {
    const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
    const { remote, session } = await open({ era: "modern" }, { extensions });
    await session.request("tools/call", ECHO, { inputRequired: "return" });
    for (const { body } of remote.requests)
      expect(body?.params?._meta).toMatchObject({ [`${META}clientCapabilities`]: { extensions } });
    const legacy = await open({ era: "legacy" }, { extensions });
    const sent = await legacy.remote.received(({ body }) => body?.method === "initialize");
    expect(sent.body?.params).toMatchObject({ capabilities: { extensions } });
  });

  test("carries the caller's own _meta, such as a traceparent", async () => {
    const { remote, session } = await open({ era: "modern" });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await session.request("tools/call", ECHO, { meta: { traceparent, "example.com/tenant": 7 } });
    const sent = await remote.received(({ body }) => body?.method === "tools/call");
    expect(sent.body?.params?._meta).toMatchObject({
      traceparent,
      "example.com/tenant": 7,
      [`${META}protocolVersion`]: VERSION,
    });
  });

  test("mirrors the parameters that the tool marks in headers", async () => {
    const properties = {
      region: { type: "string", "x-mcp-header": "Region" },
      dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
      size: { type: "integer", "x-mcp-header": "Size" },
    };
    const tool: ToolDefinition = { name: "echo", inputSchema: { type: "object", properties } };
    const { remote, session } = await open({ era: "modern", tools: [tool] });
    const call = { name: "echo", arguments: { region: "Zürich", dry: true } };
    await session.request("tools/call", call, { tool });
    const { headers } = await remote.received(({ body }) => body?.method === "tools/call");
    expect(mirrored(headers)).toMatchObject({
      "mcp-param-region": "=?base64?WsO8cmljaA==?=",
      "mcp-param-dry-run": "true",
    });
    expect(headers).not.toHaveProperty("mcp-param-size");
  });
});

describe("an aborted call", () => {
  const prior: PriorHandshake = {
    era: "modern",
    at: 0,
    discover: {
      supportedVersions: [VERSION],
      capabilities: { tools: {} },
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
    },
  };

  /** Starts a server that begins to answer a call and never finishes. */
  async function startEndless() {
    const begun = Promise.withResolvers<ServerResponse>();
    const server = await startHttpServer(
      on("tools/call", ({ response }) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        begun.resolve(response);
      }),
    );
    return { server, begun: begun.promise };
  }

  test("is cancelled on a modern server by closing its stream, without a message", async () => {
    const { server, begun } = await startEndless();
    const session = await connect(server, { prior });
    const giveUp = new AbortController();
    const failure = failureOf(session.request("tools/call", ECHO, { signal: giveUp.signal }));
    const ended = once(await begun, "close");
    giveUp.abort();
    expect(await failure).toMatchObject({ code: "MCP_ABORTED", outcome: "unknown" });
    await ended;
    await session.list("tools", { signal: never }).catch(() => {});
    expect(server.log.map(({ what }) => what)).toEqual(["POST tools/call", "POST tools/list"]);
  });

  test("is cancelled on a legacy server by one notifications/cancelled", async () => {
    const { remote, session } = await open({ silentOn: ["tools/call"] });
    const giveUp = new AbortController();
    const failure = failureOf(session.request("tools/call", ECHO, { signal: giveUp.signal }));
    const call = await remote.received(({ body }) => body?.method === "tools/call");
    giveUp.abort();
    expect(await failure).toMatchObject({ code: "MCP_ABORTED" });
    const told = await remote.received(({ body }) => body?.method === "notifications/cancelled");
    expect(told.body?.params?.requestId).toBe(call.body?.id);
    expect(count(remote, "notifications/cancelled")).toBe(1);
  });
});

test("progress of a modern server is reported in order, up to the last", async () => {
  const { session } = await open({
    era: "modern",
    answer: "sse",
    progress: 3,
    answerLateMs: { "tools/call": 40 },
  });
  const seen: number[] = [];
  await session.request("tools/call", ECHO, { onProgress: ({ progress }) => seen.push(progress) });
  expect(seen.at(-1)).toBe(3);
  expect(seen).toEqual([...seen].sort());
});
