import type { CallMiddleware } from "@jackfield/mcp-core";
import { loadOpenTelemetry } from "./open-telemetry.ts";
import { callTracer } from "./traced-call.ts";

/**
 * One OpenTelemetry span for each call, of kind client, with the attributes of the semantic conventions for MCP:
 * `mcp.method.name`, `gen_ai.operation.name`, `gen_ai.tool.name`, and where it failed `error.type` and
 * `rpc.response.status_code`; beside them `jackfield.server.name` and `jackfield.error.code`. The server is told the span as
 * `traceparent` and `tracestate` in `_meta`. Arguments, results and baggage are recorded and sent nowhere.
 *
 * Needs `@opentelemetry/api`, which is loaded with the first call; where it is not installed nothing is traced.
 */
export function traceCalls(): CallMiddleware {
  return callTracer(loadOpenTelemetry);
}
