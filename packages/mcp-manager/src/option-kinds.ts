import { isRecord, McpError } from "@jackfield/mcp-core";
import type { McpManagerOptions } from "./options.ts";
import { writtenValue } from "./written-value.ts";

interface Kind {
  readonly what: string;
  fits(value: unknown): boolean;
}

const isFunction = (value: unknown) => typeof value === "function";

const callable: Kind = { what: "a function", fits: isFunction };
const record: Kind = { what: "an object", fits: isRecord };
const callables: Kind = {
  what: "a list of functions",
  fits: (value) => Array.isArray(value) && value.every(isFunction),
};

/** The kind of each option; its contents are checked where they are read. */
const KINDS: { readonly [K in keyof McpManagerOptions]?: Kind } = {
  connect: callable,
  resolve: callable,
  cache: record,
  startup: record,
  retry: record,
  limits: record,
  naming: record,
  use: callables,
  toolPolicies: callables,
  handlers: record,
  auth: record,
  heartbeat: record,
  log: callable,
};
const REQUIRED: readonly string[] = ["connect", "resolve"];

/**
 * Checks options that may come from untyped code before any is used: one of the wrong kind would fail at the first call, or not at all.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkKinds(options: unknown): void {
  if (!isRecord(options)) throw invalid(`The options must be an object, not ${writtenValue(options)}.`);
  for (const [option, { what, fits }] of Object.entries(KINDS)) {
    const value: unknown = options[option as keyof typeof options];
    if (value === undefined && !REQUIRED.includes(option)) continue;
    // The message omits the value, which may hold secrets.
    if (!fits(value)) throw invalid(`Option "${option}" (manager) must be ${what}.`);
  }
}

/**
 * Checks the options of one operation.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkRecord(operation: string, options: unknown): void {
  if (record.fits(options)) return;
  throw invalid(`The options of ${operation} must be an object, not ${writtenValue(options)}.`);
}

/**
 * Checks servers that may come from untyped code.
 *
 * @throws McpError `MCP_CONFIG_INVALID`
 */
export function checkDefinitions(definitions: unknown): void {
  const isList = Array.isArray(definitions) || (isRecord(definitions) && Symbol.iterator in definitions);
  if (!isList) throw invalid('Option "servers" must be a list of servers.');
}

/** Checks one of these servers. */
export function checkDefinition(definition: unknown): void {
  const limits = isRecord(definition) ? definition.limits : undefined;
  if (record.fits(definition) && (limits === undefined || record.fits(limits))) return;
  throw invalid("A server must be an object, and so must its limits.");
}

function invalid(message: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
