import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type CallChange, isMcpError, McpError, type ToolCallResult } from "@jackfield/mcp-core";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { traceCalls } from "../../src/tracing/trace-calls.ts";
import { offeredTool, textResult } from "../tool-fixture.ts";

const exporter = new InMemorySpanExporter();

beforeAll(() => {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
beforeEach(() => exporter.reset());
afterAll(() => {
  trace.disable();
  context.disable();
});

/** Something that is thrown instead of an answer. */
class Thrown {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** Makes a call with this outcome; returns what was sent along and which span was active in the call. */
async function traced(answer: ToolCallResult | Thrown) {
  let change: CallChange | undefined;
  let active: string | undefined;
  const call = traceCalls()({ tool: offeredTool(), args: {}, options: {} }, async (given) => {
    change = given;
    active = trace.getActiveSpan()?.spanContext().spanId;
    if (answer instanceof Thrown) throw answer.value;
    return answer;
  });
  const outcome = await call.catch((error: unknown) => error);
  const [span] = exporter.getFinishedSpans();
  if (span === undefined) throw new Error("no span was finished");
  return { change, active, outcome, span, count: exporter.getFinishedSpans().length };
}

describe("tracing", () => {
  test("a call is one span with MCP attributes, and its traceparent is sent to the server", async () => {
    const answer = textResult("done");
    const { span, change, active, outcome, count } = await traced(answer);
    expect(outcome).toBe(answer);
    expect(count).toBe(1);
    expect(span).toMatchObject({ name: "tools/call read_file", kind: SpanKind.CLIENT });
    expect(span.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "read_file",
      "jackfield.server.name": "files",
    });
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    const { traceId, spanId } = span.spanContext();
    expect(active).toBe(spanId);
    expect(change).toEqual({ meta: { traceparent: `00-${traceId}-${spanId}-01` } });
  });

  test("the span is a child of the caller's span", async () => {
    const parent = trace.getTracer("test").startSpan("parent");
    const inParent = trace.setSpan(context.active(), parent);
    const { span } = await context.with(inParent, () => traced(textResult("done")));
    expect(span.spanContext().traceId).toBe(parent.spanContext().traceId);
    expect(span.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
  });

  test("an error result sets error.type and the error status", async () => {
    const { span } = await traced({ content: [], isError: true });
    expect(span.attributes["error.type"]).toBe("tool_error");
    expect(span.status.code).toBe(SpanStatusCode.ERROR);
  });

  test("an McpError is recorded in the span and rethrown", async () => {
    const error = new McpError("MCP_TOOL_REJECTED", "no\u001b[31m such file", { rpcCode: -32602 });
    const { span, outcome } = await traced(new Thrown(error));
    expect(outcome).toBe(error);
    expect(span.attributes).toMatchObject({
      "error.type": "-32602",
      "rpc.response.status_code": "-32602",
      "jackfield.error.code": "MCP_TOOL_REJECTED",
    });
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: "no such file" });
    expect(isMcpError(outcome)).toBe(true);
  });

  test.each([
    ["a string", "no such file", "no such file"],
    ["a value without a text", Object.create(null), "a value without a text"],
  ])("%s that is thrown is recorded and rethrown", async (_, thrown, message) => {
    const { span, outcome } = await traced(new Thrown(thrown));
    expect(outcome).toBe(thrown);
    expect(span.attributes["error.type"]).toBe("_OTHER");
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message });
  });

  test("an error without a JSON-RPC code has its own code as error.type", async () => {
    const { span } = await traced(new Thrown(new McpError("MCP_CALL_TIMEOUT", "too late")));
    expect(span.attributes["error.type"]).toBe("MCP_CALL_TIMEOUT");
    expect(span.attributes).not.toHaveProperty("rpc.response.status_code");
  });

  test("without a recording tracer a call has no span and sends no traceparent", async () => {
    trace.disable();
    let change: CallChange | undefined = {};
    await traceCalls()({ tool: offeredTool(), args: {}, options: {} }, async (given) => {
      change = given;
      return textResult("done");
    });
    expect(change).toBeUndefined();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});

describe("without OpenTelemetry", () => {
  test("[T94] a call passes unchanged", async () => {
    const folder = await mkdtemp(join(tmpdir(), "jackfield-tracing-"));
    try {
      await cp(new URL("../../src", import.meta.url), join(folder, "src"), { recursive: true });
      await mkdir(join(folder, "node_modules/@jackfield"), { recursive: true });
      for (const name of ["mcp-core", "mcp-tools"]) {
        const target = new URL(`../../../${name}`, import.meta.url).pathname;
        await symlink(target, join(folder, "node_modules/@jackfield", name));
      }
      const script = `
        import { traceCalls } from "./src/index.ts";
        const absent = await import("@opentelemetry/api").then(() => false, () => true);
        const tool = { server: "s", originalName: "t" };
        const result = await traceCalls()({ tool, args: {}, options: {} }, async (change) => ({ content: [], change }));
        console.log(JSON.stringify({ absent, result }));`;
      const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
        cwd: folder,
      });
      expect(JSON.parse(stdout)).toEqual({ absent: true, result: { content: [] } });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
