import { silentLogger } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { createConnector } from "../../src/index.ts";
import { atEnd } from "../cleanup.ts";
import { failToConnect, failureOf } from "../connecting.ts";
import { on } from "../http-server.ts";
import { startSseServer } from "../sse-server.ts";
import { prepareSseTransport } from "./prepared-sse.ts";
import { connectTo, count, ECHO, never, open, refusalOf, startRemote } from "./remote.ts";

const LEGACY = { answer: "legacy-sse" } as const;
const OVER_SSE = { transport: "sse" } as const;
const HANDSHAKE = {
  protocolVersion: "2024-11-05",
  capabilities: { tools: {} },
  serverInfo: { name: "remote", version: "1" },
};

describe("the older HTTP+SSE transport", () => {
  test.each(["http://169.254.169.254/latest", "//evil.example/x", "http://user:pass@127.0.0.1/", "http://["])(
    "[X7] [T46] refuses the endpoint %s and sends no message",
    async (endpoint) => {
      const remote = await startRemote({ ...LEGACY, endpoint });
      const error = await failureOf(connectTo(remote, OVER_SSE));
      expect(error.code).toBe("MCP_PROTOCOL_VIOLATED");
      expect(error.message).not.toContain("pass@");
      expect(count(remote, "initialize")).toBe(0);
    },
  );

  test("[X7] [T46] refuses a second endpoint of another origin that follows at once", async () => {
    const endpoint = "/post\n\nevent: endpoint\ndata: http://evil.example/post";
    const server = await startSseServer(
      () => ({ result: HANDSHAKE }),
      undefined,
      () => endpoint,
    );
    const error = await failToConnect(server);
    expect(error.code).toBe("MCP_PROTOCOL_VIOLATED");
    expect(error.message).toContain(
      "its message endpoint is not on its own origin: http://evil.example/post",
    );
    expect(server.log.map(({ what }) => what)).toEqual(["GET"]);
  });

  test("[X8] fails to connect with a remote server's error if its stream ends in the handshake", async () => {
    const server = await startSseServer(
      () => ({}),
      ({ response }) => {
        response.writeHead(202).end();
        server.endFirstStream();
        return true;
      },
    );
    expect(await failToConnect(server)).toMatchObject({
      code: "MCP_HANDSHAKE_FAILED",
      message:
        'Server "remote" closed the connection in the middle of the handshake. Check that its entry names an MCP server.',
    });
  });

  test("fails at the connect deadline if no endpoint arrives", async () => {
    const changes = { ...OVER_SSE, limits: { connectTimeoutMs: 150 } };
    expect((await refusalOf({ ...LEGACY, endpoint: null }, changes)).code).toBe("MCP_CONNECT_TIMEOUT");
  });

  test("[X18] [H15] sends configured headers with the stream request and every message", async () => {
    const { remote, session } = await open(LEGACY, { ...OVER_SSE, headers: { "X-Api-Key": "key-123456" } });
    await session.request("tools/call", ECHO);
    for (const { headers } of remote.requests) expect(headers["x-api-key"]).toBe("key-123456");
  });

  test("[X8] fails pending calls and loses the session when its stream ends", async () => {
    const { remote, session } = await open({ ...LEGACY, silentOn: ["tools/call"] }, OVER_SSE);
    const ended = new Promise((resolve) => session.onClose(resolve));
    const call = failureOf(session.request("tools/call", ECHO, { timeoutMs: 0, maxTotalMs: 0 }));
    await remote.until(() => count(remote, "tools/call") === 1);
    remote.endStreams();
    expect(await call).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown", tool: "echo" });
    const message = 'Server "remote" closed the connection. Connect again.';
    expect(await ended).toMatchObject({ code: "MCP_SESSION_LOST", retryable: true, message });
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({ outcome: "not-sent" });
  });

  /** Starts a call whose POST the server holds; `cutOff` resolves when the server sees the POST end. */
  async function startHeldCall() {
    const arrived = Promise.withResolvers<void>();
    const cutOff = Promise.withResolvers<void>();
    const holdCalls = on("tools/call", ({ response }) => {
      response.on("close", cutOff.resolve);
      arrived.resolve();
    });
    const server = await startSseServer(() => ({ result: HANDSHAKE }), holdCalls);
    const connector = createConnector();
    const options = { signal: never, log: silentLogger };
    const session = await connector(server, options);
    // The second session shares the connections, so they outlive the first one.
    const other = await connector(server, options);
    atEnd(() => Promise.all([session.close(), other.close()]));
    const call = failureOf(session.request("tools/call", ECHO, { timeoutMs: 0, maxTotalMs: 0 }));
    await arrived.promise;
    return { server, session, call, cutOff: cutOff.promise };
  }

  test("[X8] fails a call and cuts off its POST when the stream ends during the POST", async () => {
    const { server, session, call, cutOff } = await startHeldCall();
    const ended = new Promise((resolve) => session.onClose(resolve));
    server.endFirstStream();
    expect(await call).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown", tool: "echo" });
    expect(await ended).toMatchObject({ code: "MCP_SESSION_LOST" });
    await cutOff;
  });

  test("[X9] cuts off a POST in flight when the session closes", async () => {
    const { session, call, cutOff } = await startHeldCall();
    await session.close();
    expect(await call).toMatchObject({ code: "MCP_CLOSED", outcome: "unknown" });
    await cutOff;
  });

  test("fails a call whose POST is refused, with the HTTP status", async () => {
    const reply = { status: 429, headers: { "retry-after": "3" } };
    const { session } = await open({ ...LEGACY, on: { "tools/call": { reply } } }, OVER_SSE);
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ outcome: "rejected", httpStatus: 429, retryAfterMs: 3000 });
  });

  test("[T50] redacts the endpoint's session id and the URL's login in server errors", async () => {
    const said = "session c0ffee%2D00112233 alias c0ffee-00112233 of ada:pass-123456";
    const server = await startSseServer(
      ({ method }) =>
        method === "tools/call" ? { error: { code: -32600, message: said } } : { result: HANDSHAKE },
      undefined,
      (count) => `/post?count=${count}&session=c0ffee%2D00112233`,
    );
    const url = server.url.replace("//", "//ada:pass-123456@");
    const session = await connectTo({ url }, OVER_SSE);
    const { message } = await failureOf(session.request("tools/call", ECHO));
    expect(message).toContain("session [redacted] alias [redacted] of [redacted]");
  });

  test("[T50] redacts a session id in the path of its endpoint", async () => {
    const said = "no session c0ffee00-1122-3344";
    const server = await startSseServer(
      ({ method }) =>
        method === "tools/call" ? { error: { code: -32600, message: said } } : { result: HANDSHAKE },
      undefined,
      () => "/sessions/c0ffee00-1122-3344/messages",
    );
    const session = await connectTo(server, OVER_SSE);
    const { message } = await failureOf(session.request("tools/call", ECHO));
    expect(message).toContain("no session [redacted]");
  });

  test("does not redact ordinary words of its endpoint", async () => {
    const error = { code: -32600, message: "bad credentials for github in c0ffee00-1122" };
    const server = await startSseServer(
      ({ method }) => (method === "tools/call" ? { error } : { result: HANDSHAKE }),
      undefined,
      () => "/messages?app=github&sessionId=c0ffee00-1122",
    );
    const session = await connectTo(server, OVER_SSE);
    const { message } = await failureOf(session.request("tools/call", ECHO));
    expect(message).toContain("bad credentials for github in [redacted]");
  });

  test("[T84] refuses an endpoint longer than 8192 characters", async () => {
    const endpoint = `/messages?${Array.from({ length: 100_000 }, (_, index) => `x=v${index}`).join("&")}`;
    const remote = await startRemote({ ...LEGACY, endpoint });
    const error = await failureOf(connectTo(remote, OVER_SSE));
    expect(error.code).toBe("MCP_PROTOCOL_VIOLATED");
    expect(error.message).toContain("its message endpoint is longer than 8192 characters");
    expect(count(remote, "initialize")).toBe(0);
  });

  test("reads the session ids of the first endpoint once and ignores a second endpoint", async () => {
    const [transport, wire] = prepareSseTransport();
    const started = transport.start();
    wire.onHeaders(200, { "content-type": "text/event-stream" });
    wire.onData(Buffer.from("event: endpoint\ndata: /messages?session=first-session\n\n"));
    expect(transport.facts().secrets).toEqual(["first-session"]);
    wire.onData(Buffer.from("event: endpoint\ndata: /messages?session=other-session\n\n"));
    await started;
    expect(transport.facts().secrets).toEqual(["first-session"]);
  });

  test("reports any thrown value to onerror as an Error", () => {
    const [transport, wire] = prepareSseTransport();
    const onerror = vi.fn();
    transport.onerror = onerror;
    transport.onmessage = () => {
      throw Object.create(null);
    };
    transport.start().catch(() => {}); // no endpoint arrives before it is closed
    wire.onHeaders(200, { "content-type": "text/event-stream" });
    wire.onData(Buffer.from('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'));
    expect(onerror).toHaveBeenCalledExactlyOnceWith(expect.any(Error));
  });

  test("[T84] fails the call with MCP_LIMIT_EXCEEDED if an event is larger than the limit", async () => {
    const script = { ...LEGACY, on: { "tools/call": { answerBytes: 2_000_000 } } };
    const { session } = await open(script, { ...OVER_SSE, limits: { maxMessageBytes: 1_000_000 } });
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", outcome: "unknown" });
  });
});

describe("an entry for Streamable HTTP", () => {
  test.each([400, 401, 403, 404, 405, 406, 415, 422, 501])(
    "falls back to HTTP+SSE when the server answers %d",
    async (postStatus) => {
      const { session } = await open({ ...LEGACY, postStatus });
      expect((await session.list("tools", { signal: never })).items).toHaveLength(4);
      expect(session.handshake.prior).toMatchObject({ era: "legacy", transport: "sse" });
    },
  );

  const HOUR_MS = 3_600_000;

  test("starts with HTTP+SSE if an earlier session found it", async () => {
    const remote = await startRemote(LEGACY);
    const prior = { era: "legacy", at: Date.now() - HOUR_MS, transport: "sse" } as const;
    const session = await connectTo(remote, { prior });
    expect(remote.requests[0]?.method).toBe("GET");
    expect(session.handshake.prior).toEqual(prior);
  });

  test.each([
    ["more than a day ago", { era: "legacy", at: Date.now() - 25 * HOUR_MS, transport: "sse" }],
    ["not at all", { era: "legacy", at: Date.now() }],
  ] as const)("starts with Streamable HTTP if HTTP+SSE was found %s", async (_, prior) => {
    const remote = await startRemote(LEGACY);
    const session = await connectTo(remote, { prior });
    expect(remote.requests[0]?.method).toBe("POST");
    expect(session.handshake.prior.at).toBeGreaterThan(Date.now() - HOUR_MS);
  });

  test("returns to Streamable HTTP after the server is upgraded", async () => {
    const { remote, session } = await open(LEGACY);
    const { prior } = session.handshake;
    await session.close();
    remote.setScript({ on: { GET: { reply: { status: 405 } } } });
    const upgraded = await connectTo(remote, { prior });
    expect(upgraded.handshake.prior).not.toHaveProperty("transport");
    expect((await upgraded.list("tools", { signal: never })).items).toHaveLength(4);
  });

  test.each([408, 429, 500, 502, 503])(
    "[R46] does not fall back to HTTP+SSE when the server answers %d",
    async (status) => {
      const remote = await startRemote({ on: { POST: { reply: { status } } } });
      expect(await failureOf(connectTo(remote))).toMatchObject({ httpStatus: status });
      expect(count(remote, "GET")).toBe(0);
    },
  );

  test("reports the first status if the server speaks neither transport", async () => {
    const reply = { status: 404 };
    const error = await refusalOf({ on: { POST: { reply }, GET: { reply: { status: 500 } } } });
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", httpStatus: 404 });
  });
});
