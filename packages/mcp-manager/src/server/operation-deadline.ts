import {
  type CallOptions,
  createDeadline,
  DEFAULT_LIMITS,
  type Deadline,
  isRecord,
  McpError,
  type RequestOptions,
} from "@jackfield/mcp-core";
import { writtenValue } from "../option-check.ts";
import type { ManagedServer } from "./managed-server.ts";

/** The signal and the time limit of an operation on one server. */
export type OperationOptions = Pick<RequestOptions, "signal" | "timeoutMs">;

/** The default limit of each operation, and its name in messages. */
const OPERATIONS = {
  reconnect: { limit: "connectTimeoutMs", words: "reconnect" },
  ready: { limit: "connectTimeoutMs", words: "become ready" },
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
  { definition: { name, limits } }: Pick<ManagedServer, "definition">,
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

interface Rule {
  readonly what: string;
  fits(value: unknown): boolean;
}

const DURATION: Rule = {
  what: "a finite number of at least 0",
  fits: (value) => typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY,
};

/** A misspelt `replay` must not decide whether a call is made twice, and an invalid time would never or always fire ([R45]). */
const RULES: { readonly [K in keyof CallOptions]: Rule } = {
  signal: {
    what: "an AbortSignal",
    // Also one of another realm.
    fits: (value) => isRecord(value) && typeof value.aborted === "boolean" && "addEventListener" in value,
  },
  timeoutMs: DURATION,
  maxTotalMs: DURATION,
  replay: {
    what: '"never", "trusted" or a whole number of at least 0',
    fits: (value) =>
      value === "never" || value === "trusted" || (Number.isInteger(value) && Number(value) >= 0),
  },
  output: {
    what: '"refuse" or "warn"',
    fits: (value) => value === "refuse" || value === "warn",
  },
  inputRequired: {
    what: '"handlers" or "return"',
    fits: (value) => value === "handlers" || value === "return",
  },
  approved: {
    what: "the digest of the tool that was shown, toolDigest(tool) of @jackfield/mcp-core",
    fits: (value) => typeof value === "string",
  },
};
const RULED = Object.entries(RULES) as [keyof CallOptions, Rule][];

/** What is wrong with the options of a call or another request, if anything. */
export function invalidOption(options: CallOptions): string | undefined {
  if (!isRecord(options)) return `its options must be an object, not ${writtenValue(options)}`;
  for (const [name, { what, fits }] of RULED) {
    const value: unknown = options[name];
    if (value !== undefined && !fits(value))
      return `option "${name}" must be ${what}, not ${writtenValue(value)}`;
  }
  return undefined;
}
