import type { CallMiddleware } from "@jackfield/mcp-core";
import { loadOpenTelemetry } from "./open-telemetry.ts";
import { callTracer } from "./traced-call.ts";

/**
 * Creates one OpenTelemetry span of kind client for each call, with the attributes of the semantic conventions for MCP:
 * `mcp.method.name`, `gen_ai.operation.name`, `gen_ai.tool.name`, and on failure `error.type` and `rpc.response.status_code`;
 * also `jackfield.server.name` and `jackfield.error.code`. The server gets the span as `traceparent` and `tracestate` in
 * `_meta`. Arguments and results are not recorded; baggage is neither recorded nor sent.
 *
 * Needs `@opentelemetry/api`, which is loaded with the first call; where it is not installed nothing is traced.
 */
export function traceCalls(): CallMiddleware {
  return callTracer(loadOpenTelemetry);
}
