import { isRecord, McpError } from "@jackfield/mcp-core";
import type { ParseHostFileOptions } from "./parse-host-file.ts";

const isString = (value: unknown) => typeof value === "string";

/** The types of the options. */
const KINDS: Readonly<
  Record<keyof ParseHostFileOptions, { readonly what: string; fits(value: unknown): boolean }>
> = {
  host: { what: "a string", fits: isString },
  file: { what: "a path", fits: (value) => isString(value) && value !== "" },
  text: { what: "a string", fits: isString },
  beneath: { what: "a list of paths", fits: (value) => Array.isArray(value) && value.every(isString) },
  cwd: { what: "a path", fits: isString },
  env: { what: "an object", fits: isRecord },
  largestBytes: { what: "a number", fits: (value) => typeof value === "number" && value >= 0 },
  platform: { what: "the name of a system", fits: isString },
};
const REQUIRED: readonly string[] = ["host", "file"];

/**
 * Checks what may come from untyped code.
 *
 * @throws McpError `MCP_CONFIG_INVALID` for an option of the wrong type.
 */
export function checkParsingOptions(options: unknown): void {
  if (!isRecord(options)) throw invalid("The options of parseHostFile must be an object.");
  for (const [name, { what, fits }] of Object.entries(KINDS)) {
    const value: unknown = options[name as keyof typeof options];
    if (value === undefined && !REQUIRED.includes(name)) continue;
    if (!fits(value)) throw invalid(`Option "${name}" of parseHostFile must be ${what}.`);
  }
}

function invalid(message: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", message, { phase: "config" });
}
