import { type ResolvedRemoteServer, silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { createConnector } from "../../src/index.ts";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { type HttpExchange, on, startHttpServer } from "../http-server.ts";

const never = { signal: new AbortController().signal };
const CALL = { name: "echo" };
const DISCOVERED = {
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};

describe("connecting over Streamable HTTP", () => {
  test("lists and calls tools, and sends DELETE when it is closed", async () => {
    const server = await startHttpServer();
    const session = await connect(server);
    expect((await session.list("tools", never)).items.map(({ name }) => name)).toEqual(["echo"]);
    expect(await session.request("tools/call", CALL)).toEqual({ content: [{ type: "text", text: "done" }] });
    await session.close();
    expect(server.log.at(-1)).toMatchObject({ what: "DELETE", headers: { "mcp-session-id": "session-1" } });
  });

  test("[X4] [X5] sends the configured headers, which never replace its own", async () => {
    const headers = {
      "X-Api-Key": "key-123456",
      "MCP-Protocol-Version": "1999-01-01",
      "Mcp-Session-Id": "stolen",
      "Content-TYPE": "text/plain",
    };
    const server = await startHttpServer(undefined, { headers });
    const session = await connect(server);
    await session.list("tools", never);
    const sent = (what: string) => server.log.find((entry) => entry.what === what)?.headers;
    expect(sent("POST initialize")).toMatchObject({
      "x-api-key": "key-123456",
      "content-type": "application/json",
    });
    expect(sent("POST initialize")).not.toHaveProperty("mcp-protocol-version");
    expect(sent("POST initialize")).not.toHaveProperty("mcp-session-id");
    expect(sent("POST tools/list")).toMatchObject({
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": "session-1",
    });
  });

  test("[X3] opens the GET stream only after notifications/initialized", async () => {
    const server = await startHttpServer();
    await connect(server);
    await vi.waitUntil(() => server.log.some(({ what }) => what === "GET"));
    const order = server.log.map(({ what }) => what);
    expect(order.indexOf("GET")).toBeGreaterThan(order.indexOf("POST notifications/initialized"));
  });

  test("can be closed even if the DELETE is never answered", async () => {
    const server = await startHttpServer(({ request }) => request.method === "DELETE");
    const session = await connect(server);
    await session.close();
    expect(server.log.map(({ what }) => what)).toContain("DELETE");
  });
});

describe("connecting to a server", () => {
  test("that does not listen fails with ECONNREFUSED", async () => {
    const server = await startHttpServer();
    await server.stop();
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", server: "remote" });
    expect(error.message).toContain("ECONNREFUSED");
  });

  test.each([404, 500, 502])("that answers %d fails with that status", async (code) => {
    const error = await failToConnect(
      await startHttpServer(({ status }) => {
        status(code, {}, "secret-page");
        return true;
      }),
    );
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", httpStatus: code });
    expect(error.message).toContain(`HTTP ${code}`);
  });

  test("that answers with a web page is a protocol violation", async () => {
    const server = await startHttpServer(({ status }) => {
      status(200, { "content-type": "text/html" }, "<html></html>");
      return true;
    });
    const error = await failToConnect(server);
    expect(error.code).toBe("MCP_PROTOCOL_VIOLATED");
    expect(error.message).toContain("text/html");
  });

  test("[X11] that answers with JSON other than JSON-RPC is a protocol violation", async () => {
    const server = await startHttpServer(({ status }) => {
      status(200, { "content-type": "application/json" }, '{"hello":"world"}');
      return true;
    });
    expect((await failToConnect(server)).code).toBe("MCP_PROTOCOL_VIOLATED");
  });

  test("[R36] that never answers fails at the connect deadline", async () => {
    const server = await startHttpServer(() => true, { limits: { connectTimeoutMs: 200 } });
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_CONNECT_TIMEOUT", server: "remote" });
    expect(error.message).toContain("within 200 ms");
  });

  test.each([
    [429, "Retry-After: 120", 120_000],
    [503, "Retry-After: 5", 5000],
    [503, "", undefined],
  ])("that answers %d with '%s' fails with its retryAfterMs", async (code, header, retryAfterMs) => {
    const headers = header ? { "retry-after": header.split(": ")[1] ?? "" } : {};
    const server = await startHttpServer(({ status }) => {
      status(code, headers);
      return true;
    });
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", httpStatus: code, retryAfterMs });
  });

  test("[X6] that redirects to another origin fails, and nothing is sent there", async () => {
    const elsewhere = await startHttpServer();
    const server = await startHttpServer(
      ({ status }) => {
        status(307, { location: elsewhere.url });
        return true;
      },
      { headers: { Authorization: "Bearer token-123456" } },
    );
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", httpStatus: 307 });
    expect(error.message).toContain(elsewhere.url);
    expect(elsewhere.log).toEqual([]);
  });

  test("with an invalid URL is a configuration error", async () => {
    const server: ResolvedRemoteServer = {
      transport: "http",
      name: "x",
      url: "nowhere",
      headers: {},
      secrets: [],
    };
    expect((await failToConnect(server)).code).toBe("MCP_CONFIG_INVALID");
  });
});

describe("a call over Streamable HTTP that fails", () => {
  const failing = async (act: (exchange: HttpExchange) => void) => {
    const session = await connect(await startHttpServer(on("tools/call", act)));
    return failureOf(session.request("tools/call", CALL, { timeoutMs: 10_000 }));
  };

  test("with 429 is rejected and reports its Retry-After", async () => {
    const error = await failing(({ status }) => status(429, { "retry-after": "3" }));
    expect(error).toMatchObject({ code: "MCP_TOOL_REJECTED", outcome: "rejected", retryAfterMs: 3000 });
  });

  test.each([500, 502, 503])("with %d has an unknown outcome", async (code) => {
    const error = await failing(({ status }) => status(code, { "retry-after": "3" }));
    expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown", httpStatus: code });
  });

  test.each([
    [-32600, "is rejected", "rejected"],
    [-32000, "has an unknown outcome", "unknown"],
  ])("with the JSON-RPC error %d in a 400 %s", async (code, _, outcome) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message: "Bad Request" } });
    const error = await failing(({ status }) => status(400, { "content-type": "application/json" }, body));
    expect(error).toMatchObject({ code: "MCP_TOOL_REJECTED", outcome, rpcCode: code });
  });

  test("because the connection broke has an unknown outcome", async () => {
    const error = await failing(({ response }) => response.destroy());
    expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
  });

  test("because its stream ended without an answer does not wait for the deadline", async () => {
    const error = await failing(({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(": nothing\n\n");
    });
    expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
    expect(error.message).toContain("broke off");
  });

  test("because the server is gone has the outcome not-sent", async () => {
    const server = await startHttpServer();
    const session = await connect(server);
    await server.stop();
    const stoppedAt = performance.now();
    await vi.waitUntil(() => performance.now() - stoppedAt > 10, { interval: 5 });
    const error = await failureOf(session.request("tools/call", CALL));
    expect(error).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "not-sent" });
  });

  test.each([
    ["before its answer begins", undefined],
    ["while its answer is a stream", ": nothing\n\n"],
  ])("[X9] because the session closes %s is cut off at once", async (_, beginning) => {
    const arrived = Promise.withResolvers<void>();
    const cutOff = Promise.withResolvers<void>();
    const server = await startHttpServer(
      on("tools/call", ({ response }) => {
        response.on("close", cutOff.resolve);
        if (beginning) response.writeHead(200, { "content-type": "text/event-stream" }).write(beginning);
        arrived.resolve();
      }),
    );
    const connectHere = createConnector();
    const options = { ...never, log: silentLogger };
    const session = await connectHere(server, options);
    // The second session shares the connections, so they stay open.
    await using _other = await connectHere(server, options);
    const error = failureOf(session.request("tools/call", CALL, { timeoutMs: 0, maxTotalMs: 0 }));
    await arrived.promise;
    await session.close();
    expect(await error).toMatchObject({ code: "MCP_CLOSED", outcome: "unknown" });
    await cutOff.promise;
  });
});

test("an answer in an event stream that ends is read", async () => {
  const server = await startHttpServer(
    on("tools/call", ({ response, message }) => {
      const event = { jsonrpc: "2.0", id: message.id, result: { content: [] } };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`event: message\ndata: ${JSON.stringify(event)}\n\n`);
    }),
  );
  expect(await (await connect(server)).request("tools/call", CALL)).toEqual({ content: [] });
});

test("an answer of a modern server that does not say what it is is complete", async () => {
  const server = await startHttpServer(on("tools/call", ({ answer }) => answer({ content: [] })));
  const session = await connect(server, { prior: { era: "modern", at: 0, discover: DISCOVERED } });
  expect(await session.request("tools/call", CALL)).toEqual({ content: [] });
});

test("a modern server gets the parameters that a tool marks as headers", async () => {
  const server = await startHttpServer(
    on("tools/call", ({ answer }) =>
      answer({ resultType: "complete", content: [], structuredContent: "odd" }),
    ),
  );
  const session = await connect(server, { prior: { era: "modern", at: 0, discover: DISCOVERED } });
  const region = { type: "string", "x-mcp-header": "Region" };
  const tool = {
    name: "echo",
    inputSchema: { type: "object" as const, properties: { region } },
    outputSchema: { type: "number" },
  };
  const result = await session.request("tools/call", { name: "echo", arguments: { region: "eu" } }, { tool });
  expect(result.structuredContent).toBe("odd");
  expect(server.log[0]?.headers).toMatchObject({ "mcp-param-region": "eu", "mcp-name": "echo" });
});
