import type { InProcessServer, ResolvedInProcessServer, ResolvedServer } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failToConnect, failureOf } from "./connecting.ts";
import { startHttpServer } from "./http-server.ts";
import { scriptedServer } from "./scripted-server.ts";
import { startSseServer } from "./sse-server.ts";

const NO_DEADLINE = { timeoutMs: 0, maxTotalMs: 0 };
const never = { signal: new AbortController().signal };
const HONEST = { content: [{ type: "text", text: "honest" }] };

/** A call that is answered with the given members, besides version and id. */
const callAnsweredWith = (body: object) => ({ name: "echo", arguments: { body } });

const overStdio = (): ResolvedServer =>
  scriptedServer((message, { send, answer }) => {
    if (message.method !== "tools/call") return undefined;
    const { body, text } = message.params.arguments ?? {};
    if (body) send({ id: message.id, ...body });
    else if (text) globalThis.process.stdout.write(`${text.replace("$ID", String(message.id))}\n`);
    else answer({ content: [{ type: "text", text: "honest" }] });
    return true;
  });

type Peer = {
  onmessage?: (message: { id?: number; method?: string; params?: never }) => void;
  start(): Promise<void>;
  send(message: object): Promise<void>;
};

/** Answers calls with the body in their arguments, or with the given object, which need not be JSON. */
function inProcess(answerOf: (args: { body?: object }) => object = ({ body }) => body ?? { result: HONEST }) {
  const server: InProcessServer = {
    async connect(transport: unknown) {
      const peer = transport as Peer;
      peer.onmessage = ({ id, method, params }) => {
        const info = { capabilities: { tools: {} }, serverInfo: { name: "guest", version: "1" } };
        const answers: Record<string, () => object> = {
          initialize: () => ({ result: { protocolVersion: "2025-11-25", ...info } }),
          ping: () => ({ result: {} }),
          "tools/call": () => answerOf((params as unknown as { arguments?: object }).arguments ?? {}),
        };
        if (id === undefined) return;
        const answer = answers[method ?? ""] ?? (() => ({ error: { code: -32601, message: "no" } }));
        void peer.send({ jsonrpc: "2.0", id, ...answer() });
      };
      await peer.start();
    },
  };
  return { transport: "in-process", name: "guest", secrets: [], server } satisfies ResolvedInProcessServer;
}

/** Answers calls with the body in their arguments, as JSON or as an event stream. */
const overHttp = (type: "application/json" | "text/event-stream") => () =>
  startHttpServer(({ message, response }) => {
    if (message?.method !== "tools/call" && message?.method !== "ping") return false;
    const text = JSON.stringify(answerTo(message));
    response
      .writeHead(200, { "content-type": type })
      .end(type === "application/json" ? text : `data: ${text}\n\n`);
    return true;
  });

/** The same over the single stream of the HTTP+SSE transport. */
const overSse = () => startSseServer(answerTo);

function answerTo({ id, method, params }: { id: number; method: string; params?: { arguments?: never } }) {
  const capabilities = { tools: {} };
  const serverInfo = { name: "remote", version: "1" };
  const { body = { result: HONEST } } = (params?.arguments ?? {}) as { body?: object };
  const answers: Record<string, object> = {
    initialize: { result: { protocolVersion: "2024-11-05", capabilities, serverInfo } },
    ping: { result: {} },
    "tools/call": body,
  };
  return { jsonrpc: "2.0", id, ...(answers[method] ?? { error: { code: -32601, message: "no" } }) };
}

const MALFORMED: readonly object[] = [
  {},
  { result: null },
  { result: 5 },
  { result: "done" },
  { result: [] },
  { result: HONEST, error: { code: 1, message: "and yet" } },
  { result: null, error: null },
  { error: "failed" },
  { error: { code: 1 } },
  { error: { message: "failed" } },
];

describe.concurrent.each([
  ["over stdio", overStdio],
  ["in process", inProcess],
  ["over HTTP with JSON", overHttp("application/json")],
  ["over HTTP with an event stream", overHttp("text/event-stream")],
  ["over HTTP+SSE", overSse],
] as const)("an answer with the right id, %s", (_, makeServer) => {
  test("fails its call if its body is invalid, and the session goes on", async () => {
    const session = await connect(await makeServer());
    for (const body of MALFORMED) {
      const [error, other] = await Promise.all([
        failureOf(session.request("tools/call", callAnsweredWith(body), NO_DEADLINE)),
        session.request("tools/call", { name: "echo" }, NO_DEADLINE),
      ]);
      expect(error, JSON.stringify(body)).toMatchObject({
        code: "MCP_PROTOCOL_VIOLATED",
        outcome: "unknown",
        tool: "echo",
        phase: "call",
        message: expect.stringContaining("with something that is not valid MCP"),
      });
      expect(other).toEqual(HONEST);
    }
    expect(await session.request("ping", undefined, NO_DEADLINE)).toEqual({});
  });

  test("is accepted with null for a missing member and with unknown members", async () => {
    const session = await connect(await makeServer());
    for (const body of [
      { result: HONEST, error: null },
      { result: HONEST, took: 5 },
    ])
      expect(await session.request("tools/call", callAnsweredWith(body), NO_DEADLINE)).toEqual(HONEST);
    const refusal = { result: null, error: { code: -32602, message: "no such tool" } };
    const error = await failureOf(session.request("tools/call", callAnsweredWith(refusal), NO_DEADLINE));
    expect(error).toMatchObject({ code: "MCP_TOOL_REJECTED", rpcCode: -32602, outcome: "rejected" });
  });
});

test("in-process arguments that cannot be written as JSON fail the call as not sent", async () => {
  const session = await connect(inProcess());
  const circular: { self?: object } = {};
  circular.self = circular;
  for (const args of [circular, { count: 1n }]) {
    const error = await failureOf(session.request("tools/call", { name: "echo", arguments: args as never }));
    expect(error).toMatchObject({ code: "MCP_ARGUMENTS_INVALID", outcome: "not-sent", tool: "echo" });
  }
});

test("an in-process answer that cannot be written as JSON fails its call", async () => {
  const circular: { self?: object } = {};
  circular.self = circular;
  const session = await connect(inProcess(() => ({ result: { content: [], circular } })));
  const error = await failureOf(session.request("tools/call", { name: "echo" }, NO_DEADLINE));
  expect(error).toMatchObject({ code: "MCP_PROTOCOL_VIOLATED", outcome: "unknown" });
  expect(error.message).toContain("cannot be written as JSON");
});

describe.concurrent("an answer with an invalid body", () => {
  test("to initialize fails the connect", async () => {
    const server = scriptedServer(
      (message, { send }) => {
        if (message.method !== "initialize") return undefined;
        send({ id: message.id, result: null });
        return true;
      },
      { limits: { connectTimeoutMs: 0 } },
    );
    const error = await failToConnect(server);
    expect(error).toMatchObject({ code: "MCP_PROTOCOL_VIOLATED", phase: "handshake" });
    expect(error.message).toContain("did not answer like an MCP server");
  });

  test("to server/discover falls back to the legacy era", async () => {
    const server = scriptedServer((message, { send }) => {
      if (message.method !== "server/discover") return undefined;
      send({ id: message.id, result: null });
      return true;
    });
    expect((await connect(server)).handshake.era).toBe("legacy");
    expect(server.starts()).toHaveLength(1);
  });
});

/** A call that is answered by a line, in which `$ID` stands for its id. */
const callAnsweredByLine = (text: string) => ({ name: "echo", arguments: { text } });
const nested = (depth: number, [open, close]: readonly [string, string]) =>
  open.repeat(depth) + (open.endsWith(":") ? "1" : "") + close.repeat(depth);
const LISTS = ["[", "]"] as const;
const OBJECTS = ['{"a":', "}"] as const;
const answered = (data: string) =>
  `{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":{"data":${data}}}}`;

describe.concurrent("[T86] a message that is nested too deeply", () => {
  test("fails the call that it answers, and the session goes on", async () => {
    const session = await connect(overStdio());
    for (const text of [
      answered(nested(200_000, LISTS)),
      answered(nested(100_000, OBJECTS)),
      `{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"x","data":${nested(300, LISTS)}}}`,
      `{"jsonrpc":"2.0","id":$ID,"result":${nested(200_000, OBJECTS)}}`,
    ]) {
      const error = await failureOf(session.request("tools/call", callAnsweredByLine(text), NO_DEADLINE));
      expect(error).toMatchObject({ code: "MCP_PROTOCOL_VIOLATED", outcome: "unknown", tool: "echo" });
      expect(error.message).toContain("nested more than 256 levels deep");
      expect(await session.request("tools/call", { name: "echo" }, NO_DEADLINE)).toEqual(HONEST);
    }
  });

  test("is skipped if it is a notification", async () => {
    const heard = vi.fn();
    const session = await connect(overStdio());
    session.onNotification(({ method }) => heard(method));
    const deep = `{"jsonrpc":"2.0","method":"vendor/deep","params":{"data":${nested(300, LISTS)}}}`;
    const honest = `{"jsonrpc":"2.0","method":"vendor/flat"}\n${answered("1")}`;
    await session.request("tools/call", callAnsweredByLine(`${deep}\n${honest}`), NO_DEADLINE);
    expect(heard.mock.calls).toEqual([["vendor/flat"]]);
  });

  test("fails the call if it is an in-process answer", async () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    const session = await connect(
      inProcess(() => ({ result: { content: [], structuredContent: { deep } } })),
    );
    const error = await failureOf(session.request("tools/call", { name: "echo" }, NO_DEADLINE));
    expect(error).toMatchObject({ code: "MCP_PROTOCOL_VIOLATED", outcome: "unknown" });
    expect(await session.request("ping", undefined, NO_DEADLINE)).toEqual({});
  });

  test("is not refused if it is merely wide or within the depth limit", async () => {
    const session = await connect(overStdio());
    for (const data of [`[${"1,".repeat(1_000_000)}1]`, nested(250, LISTS)]) {
      const result = await session.request("tools/call", callAnsweredByLine(answered(data)), NO_DEADLINE);
      expect(JSON.stringify(result.structuredContent) === `{"data":${data}}`).toBe(true);
    }
    await session.list("tools", never);
  });
});
