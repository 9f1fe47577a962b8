import { execFile } from "node:child_process";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { AuthPort, JsonObject } from "@jackfield/mcp-core";
import { context, metrics, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openMcp } from "../src/index.ts";
import { everything, useTemporaryHome } from "./fixture.ts";

const spans = new InMemorySpanExporter();
const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
const figures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 3_600_000 });
const meters = new MeterProvider({ readers: [reader] });

beforeAll(() => {
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  metrics.setGlobalMeterProvider(meters);
});
beforeEach(() => spans.reset());
afterAll(async () => {
  await meters.shutdown();
  trace.disable();
  context.disable();
  metrics.disable();
});

useTemporaryHome();

interface Seen {
  readonly method: string;
  readonly meta: JsonObject | undefined;
}

/** A small remote server. What it was asked is in `seen`. */
class RemoteServer {
  readonly seen: Seen[] = [];
  #server: Server | undefined;
  /** Requests without this header are refused with 401. */
  token: string | undefined;

  async url(): Promise<string> {
    this.#server = createServer(this.#answer).listen(0, "127.0.0.1");
    await new Promise((resolve) => this.#server?.once("listening", resolve));
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  get port(): number {
    return ((this.#server as Server).address() as AddressInfo).port;
  }

  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  readonly #answer: RequestListener = async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (this.token !== undefined && request.headers.authorization !== `Bearer ${this.token}`)
      return void response.writeHead(401).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    this.seen.push({ method, meta: params?._meta });
    const answer = answerTo(method, params?.name);
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  };
}

const TOOLS = ["echo", "fails", "breaks"].map((name) => ({ name, inputSchema: { type: "object" } }));

function answerTo(method: string, name: string | undefined): JsonObject {
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const serverInfo = { name: "small", version: "1" };
  const results: JsonObject = {
    initialize: { protocolVersion: "2025-11-25", capabilities, serverInfo },
    "tools/list": { tools: TOOLS },
    "resources/list": { resources: [{ uri: "note://1", name: "one" }] },
    "resources/read": { contents: [{ uri: "note://1", text: "one" }] },
    "prompts/list": { prompts: [{ name: "greet" }] },
    "prompts/get": { messages: [] },
  };
  if (method === "tools/call" && name === "breaks")
    return { error: { code: -32602, message: "the key sk-live-0123456789abcdef is wrong" } };
  if (method === "tools/call")
    return { result: { content: [{ type: "text", text: "done" }], isError: name === "fails" } };
  return results[method]
    ? { result: results[method] }
    : { error: { code: -32601, message: "no such method" } };
}

const remote = new RemoteServer();
afterEach(() => {
  remote.close();
  remote.seen.length = 0;
  remote.token = undefined;
});

const quiet = { discover: false, cache: false, telemetry: true, log: () => {} } as const;

async function finished(): Promise<readonly ReadableSpan[]> {
  await tracers.forceFlush();
  return spans.getFinishedSpans();
}

async function named(name: string): Promise<ReadableSpan> {
  const all = await finished();
  const found = all.filter((span) => span.name === name);
  expect(found, `among ${all.map((span) => span.name)}`).toHaveLength(1);
  return found[0] as ReadableSpan;
}

/** The attributes of each point of a histogram, for one server. */
async function points(metric: string, server: string) {
  await reader.forceFlush();
  const latest = figures.getMetrics().at(-1);
  const found = latest?.scopeMetrics
    .flatMap((scope) => scope.metrics)
    .find((one) => one.descriptor.name === metric);
  const all = (found?.dataPoints ?? []) as readonly DataPoint<unknown>[];
  return {
    unit: found?.descriptor.unit,
    points: all.filter((one) => one.attributes["jackfield.server.name"] === server),
  };
}

describe("telemetry", () => {
  test("every request is a client span by the conventions for MCP, and carries its own traceparent", async () => {
    const url = await remote.url();
    await using mcp = await openMcp({ ...quiet, servers: { small: { url } } });
    await mcp.callTool("mcp__small__echo", {});
    await mcp.getPrompt("small", "greet");
    await mcp.readResource("small", "note://1");

    const place = {
      "jackfield.server.name": "small",
      "network.transport": "tcp",
      "network.protocol.name": "http",
      "server.address": "127.0.0.1",
      "server.port": remote.port,
    };
    const call = await named("tools/call echo");
    expect(call.kind).toBe(SpanKind.CLIENT);
    expect(call.status.code).toBe(SpanStatusCode.UNSET);
    expect(call.attributes).toEqual({
      ...place,
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": "2025-11-25",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "echo",
      "jsonrpc.request.id": expect.stringMatching(/^\d+$/),
    });
    expect((await named("prompts/get greet")).attributes).toMatchObject({ "gen_ai.prompt.name": "greet" });
    expect((await named("resources/read")).attributes).toMatchObject({ "mcp.resource.uri": "note://1" });
    expect((await named("initialize")).attributes).not.toHaveProperty("mcp.protocol.version");
    expect((await named("tools/list")).kind).toBe(SpanKind.CLIENT);

    // One span for each request that arrived, whose traceparent names that span.
    const sent = (await finished()).filter((span) => "mcp.method.name" in span.attributes);
    expect(remote.seen.map(({ method }) => method).sort()).toEqual(
      sent.map((span) => span.attributes["mcp.method.name"]).sort(),
    );
    for (const { method, meta } of remote.seen) {
      const parents = sent
        .filter((span) => span.attributes["mcp.method.name"] === method)
        .map((span) => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`);
      expect(parents).toContain(meta?.traceparent);
    }
  });

  test("a connection is a span above its handshake, and a call is below the span of its caller", async () => {
    const url = await remote.url();
    await using mcp = await openMcp({ ...quiet, servers: { small: { url } } });
    const connect = await named("connect small");
    expect(connect.attributes).toMatchObject({
      "mcp.protocol.version": "2025-11-25",
      "network.transport": "tcp",
    });
    expect((await named("initialize")).parentSpanContext?.spanId).toBe(connect.spanContext().spanId);

    const caller = trace.getTracer("test").startSpan("caller");
    await context.with(trace.setSpan(context.active(), caller), () => mcp.callTool("mcp__small__echo", {}));
    expect((await named("tools/call echo")).parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
  });

  test("a failed call says how it failed, and shows no credential", async () => {
    const url = await remote.url();
    const headers = { "x-api-key": "sk-live-0123456789abcdef" };
    await using mcp = await openMcp({ ...quiet, servers: { small: { url, headers } } });
    await mcp.callTool("mcp__small__fails", {});
    await expect(mcp.callTool("mcp__small__breaks", {})).rejects.toMatchObject({ rpcCode: -32602 });
    expect(await named("tools/call fails")).toMatchObject({
      attributes: { "error.type": "tool_error" },
      status: { code: SpanStatusCode.ERROR },
    });
    const broken = await named("tools/call breaks");
    expect(broken.attributes).toMatchObject({ "error.type": "-32602", "rpc.response.status_code": "-32602" });
    expect(broken.status.code).toBe(SpanStatusCode.ERROR);
    expect(broken.status.message).toMatch(/^the key .+ is wrong$/);
    expect(
      JSON.stringify((await finished()).map(({ attributes, status }) => [attributes, status])),
    ).not.toContain("sk-live-0123456789abcdef");
  });

  test("a connection that fails is a span with its error", async () => {
    const servers = { gone: { command: "there-is-no-such-command" } };
    await using mcp = await openMcp({ ...quiet, servers, retry: { maxRetries: 0 } });
    expect(mcp.tools()).toEqual([]);
    expect(await named("connect gone")).toMatchObject({
      attributes: { "error.type": "MCP_COMMAND_NOT_FOUND", "network.transport": "pipe" },
      status: { code: SpanStatusCode.ERROR },
    });
  });

  test("what is done about a challenge is a span", async () => {
    const url = await remote.url();
    remote.token = "right";
    let token = "wrong";
    const auth: AuthPort = {
      headers: async () => ({ authorization: `Bearer ${token}` }),
      onChallenge: async () => {
        token = "right";
        return "retry";
      },
    };
    await using mcp = await openMcp({ ...quiet, auth, servers: { small: { url } } });
    expect(mcp.tools()).toHaveLength(3);
    const login = await named("login small");
    expect(login.kind).toBe(SpanKind.CLIENT);
    expect(login.spanContext().traceId).toBe((await named("connect small")).spanContext().traceId);
  });

  test("both histograms count in seconds: each request, and each session when it ends", async () => {
    const mcp = await openMcp({ ...quiet, servers: { local: everything } });
    await mcp.callTool("mcp__local__echo", { message: "hi" });
    const operations = await points("mcp.client.operation.duration", "local");
    expect(operations.unit).toBe("s");
    const call = operations.points.find(({ attributes }) => attributes["gen_ai.tool.name"] === "echo");
    expect(call?.value).toMatchObject({
      count: 1,
      buckets: { boundaries: expect.arrayContaining([0.01, 300]) },
    });
    expect(call?.attributes).not.toHaveProperty("jsonrpc.request.id");
    expect((await points("mcp.client.session.duration", "local")).points).toEqual([]);

    await mcp.close();
    const sessions = await points("mcp.client.session.duration", "local");
    expect(sessions.unit).toBe("s");
    expect(sessions.points).toMatchObject([
      {
        attributes: { "network.transport": "pipe", "mcp.protocol.version": expect.any(String) },
        value: { count: 1 },
      },
    ]);
    expect(sessions.points[0]?.attributes).not.toHaveProperty("error.type");
  });

  test("without the option, nothing is recorded or sent", async () => {
    const url = await remote.url();
    await using mcp = await openMcp({ ...quiet, telemetry: false, servers: { small: { url } } });
    await mcp.callTool("mcp__small__echo", {});
    expect(await finished()).toEqual([]);
    expect(remote.seen.filter(({ meta }) => meta !== undefined && "traceparent" in meta)).toEqual([]);
  });
});

describe("the package @opentelemetry/api", () => {
  /** Opens a runtime in a process of its own; returns what it asked for by that name, and what it logged. */
  async function opened(telemetry: boolean, isInstalled: boolean) {
    const index = new URL("../src/index.ts", import.meta.url).href;
    const script = `
      import { registerHooks } from "node:module";
      const asked = [];
      registerHooks({ resolve(name, context, next) {
        if (!name.startsWith("@opentelemetry/")) return next(name, context);
        asked.push(name);
        if (${isInstalled}) return next(name, context);
        throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
      } });
      const { openMcp } = await import(${JSON.stringify(index)});
      const lines = [];
      const servers = { s: ${JSON.stringify(everything)} };
      const options = { discover: false, cache: false, servers, log: (level, message) => lines.push(level + " " + message) };
      const mcp = await openMcp({ ...options, telemetry: ${telemetry} });
      const { content } = await mcp.callTool("mcp__s__echo", { message: "hi" });
      await mcp.close();
      console.log(JSON.stringify({ asked, warnings: lines.filter((line) => line.includes("opentelemetry")), text: content[0].text }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    return JSON.parse(stdout);
  }

  test("is not looked for when telemetry is off", async () => {
    expect(await opened(false, true)).toEqual({ asked: [], warnings: [], text: "Echo: hi" });
  });

  test("[T94] may be missing: a warning says so, and calls work", async () => {
    expect(await opened(true, false)).toEqual({
      asked: ["@opentelemetry/api"],
      warnings: [expect.stringMatching(/^warn .*@opentelemetry\/api/)],
      text: "Echo: hi",
    });
  });
});
