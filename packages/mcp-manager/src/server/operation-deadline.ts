import { DEFAULT_LIMITS, McpError, type RequestOptions } from "@jackfield/mcp-core";
import { createDeadline, type Deadline } from "../deadline.ts";
import { invalidOption } from "../tools/call-time.ts";
import type { ManagedServer } from "./managed-server.ts";

/** How long an operation on one server may take. */
export type OperationOptions = Pick<RequestOptions, "signal" | "timeoutMs">;

/**
 * What a server is asked to do, the limit of it that applies by default, and the words for it. An attempt to connect has that limit
 * itself and knows what it was waiting for: it is given time to end the session before, to clean up, and to say so.
 */
const OPERATIONS = {
  reconnect: { limit: "connectTimeoutMs", graceMs: 10_000, words: "reconnect" },
  list: { limit: "callTimeoutMs", graceMs: 0, words: "list its tools" },
} as const;

/** @throws McpError `MCP_CONFIG_INVALID` for options of a request that cannot be right. Nothing was asked of the server. */
export function checkOptions(server: string, options: RequestOptions): void {
  const invalid = invalidOption(options);
  if (invalid === undefined) return;
  const message = `Nothing was asked of server "${server}": ${invalid}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { server, outcome: "not-sent" });
}

/**
 * The deadline of an operation: the caller's time limit, else the server's own.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for a limit that is none.
 */
export function operationDeadline(
  { definition: { name, limits } }: ManagedServer,
  operation: keyof typeof OPERATIONS,
  options: OperationOptions,
): Deadline {
  checkOptions(name, options);
  const { signal, timeoutMs } = options;
  const { limit, graceMs, words } = OPERATIONS[operation];
  const limitMs = timeoutMs ?? limits?.[limit] ?? DEFAULT_LIMITS[limit];
  const details = { server: name, outcome: "not-sent" } as const;
  const gaveUp = `Server "${name}" was asked to ${words}, and the caller gave up.`;
  const tooLate = `Server "${name}" did not ${words} within ${limitMs} ms.`;
  return createDeadline({
    signal,
    timeoutMs: timeoutMs === undefined && limitMs > 0 ? limitMs + graceMs : limitMs,
    aborted: () => new McpError("MCP_ABORTED", gaveUp, details),
    expired: () => new McpError("MCP_CALL_TIMEOUT", tooLate, details),
  });
}
