import {
  createDeadline,
  DEFAULT_LIMITS,
  type Deadline,
  McpError,
  type RequestOptions,
} from "@jackfield/mcp-core";
import { invalidOption } from "../tools/call-time.ts";
import type { ManagedServer } from "./managed-server.ts";

/** The signal and the time limit of an operation on one server. */
export type OperationOptions = Pick<RequestOptions, "signal" | "timeoutMs">;

/** The default limit of each operation, and its name in messages. */
const OPERATIONS = {
  reconnect: { limit: "connectTimeoutMs", words: "reconnect" },
  list: { limit: "callTimeoutMs", words: "list its tools" },
} as const;

/** @throws McpError `MCP_CONFIG_INVALID` for invalid request options. Nothing was sent to the server. */
export function checkOptions(server: string, options: RequestOptions): void {
  const invalid = invalidOption(options);
  if (invalid === undefined) return;
  const message = `Nothing was sent to server "${server}": ${invalid}.`;
  throw new McpError("MCP_CONFIG_INVALID", message, { server, outcome: "not-sent" });
}

/**
 * The deadline of an operation: the caller's time limit, else the server's own.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for invalid options.
 */
export function operationDeadline(
  { definition: { name, limits } }: ManagedServer,
  operation: keyof typeof OPERATIONS,
  options: OperationOptions,
): Deadline {
  checkOptions(name, options);
  const { signal, timeoutMs } = options;
  const { limit, words } = OPERATIONS[operation];
  const limitMs = timeoutMs ?? limits?.[limit] ?? DEFAULT_LIMITS[limit];
  const details = { server: name, outcome: "not-sent" } as const;
  const gaveUp = `Server "${name}" was asked to ${words}, but the caller aborted.`;
  const tooLate = `Server "${name}" did not ${words} within ${limitMs} ms.`;
  return createDeadline({
    signal,
    timeoutMs: limitMs,
    aborted: () => new McpError("MCP_ABORTED", gaveUp, details),
    expired: () => new McpError("MCP_CALL_TIMEOUT", tooLate, details),
  });
}
