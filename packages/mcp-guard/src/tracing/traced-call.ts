import {
  type CallMiddleware,
  isMcpError,
  type JsonObject,
  type ToolCallResult,
  type ToolDescriptor,
  thrownMessage,
} from "@jackfield/mcp-core";
import type { Span, SpanContext } from "@opentelemetry/api";
import { cleanText } from "../cleaning/clean-text.ts";
import type { OpenTelemetry } from "./open-telemetry.ts";

/** Traces calls with the API that is loaded at the first call; without it, calls pass through untraced. A failed load is tried again. */
export function callTracer(load: () => Promise<OpenTelemetry | undefined>): CallMiddleware {
  let loading: Promise<OpenTelemetry | undefined> | undefined;
  return async ({ tool }, next) => {
    loading ??= load().catch(() => {
      loading = undefined;
      return undefined;
    });
    const openTelemetry = await loading;
    if (openTelemetry === undefined) return next();
    return traceCall(openTelemetry, tool, next);
  };
}

async function traceCall(
  { trace, context, SpanKind, SpanStatusCode, isSpanContextValid }: OpenTelemetry,
  tool: ToolDescriptor,
  next: Parameters<CallMiddleware>[1],
): Promise<ToolCallResult> {
  const name = nameOf(tool);
  const attributes = {
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "jackfield.server.name": tool.server,
  };
  const span = trace
    .getTracer("@jackfield/mcp-guard")
    .startSpan(`tools/call ${name}`, { kind: SpanKind.CLIENT, attributes });
  const spanContext = span.spanContext();
  const meta = isSpanContextValid(spanContext) ? traceMeta(spanContext) : undefined;
  try {
    const inSpan = trace.setSpan(context.active(), span);
    const result = await context.with(inSpan, () => next(meta === undefined ? undefined : { meta }));
    if (result.isError === true) {
      span.setAttribute("error.type", "tool_error").setStatus({ code: SpanStatusCode.ERROR });
    }
    return result;
  } catch (error) {
    recordError(span, error);
    span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** Names come from servers and may be of any length. */
const LONGEST_NAME = 128;
const LONGEST_MESSAGE = 1_000;

function nameOf({ originalName }: ToolDescriptor): string {
  return cleanText(originalName.slice(0, LONGEST_NAME));
}

function messageOf(error: unknown): string {
  return cleanText(thrownMessage(error).slice(0, LONGEST_MESSAGE));
}

function recordError(span: Span, error: unknown): void {
  if (!isMcpError(error)) {
    span.setAttribute("error.type", "_OTHER");
    return;
  }
  const { code, rpcCode } = error;
  span.setAttribute("error.type", rpcCode === undefined ? code : String(rpcCode));
  span.setAttribute("jackfield.error.code", code);
  if (rpcCode !== undefined) span.setAttribute("rpc.response.status_code", String(rpcCode));
}

/**
 * The fields of W3C Trace Context (`traceparent`, version 00). Baggage is left out: it may hold data that a server must not
 * see.
 */
function traceMeta({ traceId, spanId, traceFlags, traceState }: SpanContext): JsonObject {
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0");
  const state = traceState?.serialize();
  return {
    traceparent: `00-${traceId}-${spanId}-${flags}`,
    ...(state ? { tracestate: state } : {}),
  };
}
