import { type AuthPort, McpError } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failToConnect, failureOf } from "./connecting.ts";
import { type HttpScript, on, startHttpServer } from "./http-server.ts";
import { type Script, scriptedServer } from "./scripted-server.ts";
import { startSseServer } from "./sse-server.ts";

const ECHO = { name: "echo", arguments: {} };
const never = { signal: new AbortController().signal };
const DONE = { content: [{ type: "text", text: "done" }] };

describe("a call that times out", () => {
  test.each([
    ["a refusal without an id", { id: null, error: { code: -32_700, message: "cannot parse this" } }],
    ["an answer with another id", { id: 9_999, result: { content: [] } }],
  ])("names %s that came meanwhile", async (_, stray) => {
    const server = scriptedServer(
      (message, { send, process }) => {
        if (message.method !== "tools/call") return undefined;
        send(JSON.parse(process.env.STRAY ?? ""));
        return true;
      },
      { env: { STRAY: JSON.stringify(stray) } },
    );
    const session = await connect(server);
    const error = await failureOf(session.request("tools/call", ECHO, { timeoutMs: 300 }));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
    expect(error.message).toContain("an answer to no request of ours");
    expect(error.message).toContain("error" in stray ? "cannot parse this" : "9999");
  });
});

describe("what is null in a message and may be left out", () => {
  const nulls: Script = (message, { process }) => {
    if (message.method !== "tools/call") return undefined;
    const news = { jsonrpc: "2.0", id: null, method: "notifications/vendor", params: null };
    const result = { content: [{ type: "text", text: "done" }] };
    const answer = { jsonrpc: "2.0", id: message.id, method: null, params: null, result, error: null };
    process.stdout.write(`${JSON.stringify(news)}\n${JSON.stringify(answer)}\n`);
    return true;
  };

  test("is absent, over stdio", async () => {
    const server = scriptedServer(nulls);
    const session = await connect(server);
    const heard = vi.fn();
    session.onNotification(heard);
    expect(await session.request("tools/call", ECHO)).toMatchObject(DONE);
    expect(heard).toHaveBeenCalledWith({ method: "notifications/vendor", params: undefined });
    expect(server.received().filter(({ method }) => method === undefined)).toEqual([]); // No answer to the notification.
  });

  test("is absent, over HTTP", async () => {
    const news = { jsonrpc: "2.0", id: null, method: "notifications/vendor", params: null };
    const server = await startHttpServer(
      on("tools/call", ({ message, status }) => {
        const answer = { jsonrpc: "2.0", id: message.id, method: null, result: DONE, error: null };
        const events = [news, answer].map((sent) => `data: ${JSON.stringify(sent)}\n\n`);
        status(200, { "content-type": "text/event-stream" }, events.join(""));
      }),
    );
    const session = await connect(server);
    const heard = vi.fn();
    session.onNotification(heard);
    expect(await session.request("tools/call", ECHO)).toMatchObject(DONE);
    expect(heard).toHaveBeenCalledOnce();
  });
});

test("a list that is sent again with every cursor ends with what came, and a warning", async () => {
  const server = scriptedServer((message, { answer }) => {
    if (message.method !== "tools/list") return undefined;
    const cursor = Number(message.params?.cursor ?? 0);
    answer({ tools: [{ name: "echo", inputSchema: { type: "object" } }], nextCursor: String(cursor + 1) });
    return true;
  });
  const log = vi.fn();
  const session = await connect(server, { log });
  const { items } = await session.list("tools", never);
  expect(new Set(items.map(({ name }) => name))).toEqual(new Set(["echo"]));
  expect(server.received().filter(({ method }) => method === "tools/list")).toHaveLength(3);
  const pages = expect.stringContaining("2 pages again");
  expect(log).toHaveBeenCalledWith("warn", pages, expect.objectContaining({ method: "tools/list" }));
});

test("an answer to the probe that is too large makes no server unreachable", async () => {
  const large = on("server/discover", ({ status }) =>
    status(200, { "content-type": "application/json" }, JSON.stringify("x".repeat(20_000))),
  );
  const server = await startHttpServer(large, { limits: { maxMessageBytes: 10_000 } });
  expect((await connect(server)).handshake.era).toBe("legacy");
});

describe("an HTTP+SSE server that answers a POST with 401", () => {
  const unable = new McpError("MCP_AUTH_REQUIRED", "There is no authorization server.", { httpStatus: 401 });
  const answers = ({ method }: { method?: string }) => ({
    result:
      method === "initialize"
        ? { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "old", version: "1" } }
        : DONE,
  });
  const refusing: HttpScript = ({ request, status }) => {
    if (request.url !== "/mcp") return false;
    status(401);
    return true;
  };

  test("is found by its GET stream, and nobody is asked twice for credentials that do not exist", async () => {
    const server = await startSseServer(answers, refusing);
    const onChallenge = vi.fn<AuthPort["onChallenge"]>(() => Promise.reject(unable));
    const auth: AuthPort = { headers: async () => ({}), onChallenge };
    const session = await connect({ ...server, transport: "http" }, { auth });
    expect(await session.request("tools/call", ECHO)).toMatchObject(DONE);
    expect(onChallenge.mock.calls.length).toBeLessThanOrEqual(2); // The probe and initialize.
  });

  test("is refused with the first error if there is no such stream", async () => {
    const server = await startHttpServer(({ status }) => {
      status(401);
      return true;
    });
    const auth: AuthPort = { headers: async () => ({}), onChallenge: () => Promise.reject(unable) };
    const error = await failToConnect(server, { auth });
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED" });
    expect(error.message).toContain("no authorization server");
  });
});

test("an endpoint of HTTP+SSE at another origin is what the error of an http entry tells", async () => {
  const server = await startSseServer(
    () => ({}),
    ({ request, status }) => {
      if (request.url !== "/mcp") return false;
      status(405);
      return true;
    },
    () => "http://elsewhere.example/post",
  );
  const error = await failToConnect({ ...server, transport: "http" });
  expect(error.message).toContain("elsewhere.example");
});

test.each(["text/json", "application/json-rpc", "application/vnd.api+json", "text/plain", undefined])(
  "an answer is read whose content type is %s",
  async (type) => {
    const server = await startHttpServer(
      on("tools/call", ({ message, response }) => {
        response.writeHead(200, type === undefined ? {} : { "content-type": type });
        response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: DONE }));
      }),
    );
    const session = await connect(server);
    expect(await session.request("tools/call", ECHO)).toMatchObject(DONE);
  },
);

test.each([406, 407, 414, 417, 421, 425, 426, 428, 501, 505, 511])(
  "a call that is answered with %d was refused before it ran",
  async (code) => {
    const session = await connect(await startHttpServer(on("tools/call", ({ status }) => status(code))));
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_TOOL_REJECTED", outcome: "rejected", httpStatus: code });
  },
);

describe("a server that wants an address opened first", () => {
  const wanting: Script = (message, { refuse, process }) => {
    if (message.method !== "tools/call") return undefined;
    const url = process.env.ADDRESS;
    const elicitation = { mode: "url", message: "Visit it.", elicitationId: "1", url };
    refuse(-32_042, "Visit first.", url === "" ? {} : { elicitations: [elicitation] });
    return true;
  };
  const server = (address: string) => scriptedServer(wanting, { env: { ADDRESS: address } });
  const elicit = vi.fn(async () => ({ action: "decline" as const }));

  test.each([
    ["nobody can be asked", {}],
    ["the user declines", { handlers: { elicit } }],
  ])("is told of with the address if %s, without its query", async (_, options) => {
    const session = await connect(server("https://pay.example/bill?state=key-123456"), options);
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_TOOL_REJECTED", rpcCode: -32_042, outcome: "rejected" });
    expect(error.message).toContain("https://pay.example/bill");
    expect(error.message).not.toContain("key-123456");
  });

  test("and names none is asked once", async () => {
    const unnamed = server("");
    const session = await connect(unnamed, { handlers: { elicit } });
    await failureOf(session.request("tools/call", ECHO));
    expect(unnamed.received().filter(({ method }) => method === "tools/call")).toHaveLength(1);
  });
});
