import type { Diagnostic, McpError, ServerDefinition } from "@jackfield/mcp-core";
import { readSourceEntry } from "../../src/entry/entry.ts";
import { JACKFIELD } from "../../src/hosts/jackfield.ts";
import { remarksOn } from "../../src/lint/remarks.ts";
import { jsonPointer } from "../../src/read/json-value.ts";

export const CONTEXT = {
  name: "s",
  definedIn: { scope: "explicit", file: "/project/mcp.json", line: 3 },
  directory: "/project",
  inCode: false,
  platform: process.platform,
  dialect: JACKFIELD.entry,
  variables: JACKFIELD.variables,
} as const;

type Context = Partial<Parameters<typeof readSourceEntry>[1]>;

/** Reads an entry of Jackfield's own format, and collects what is said of it. */
export function reading(entry: unknown, context: Context = {}) {
  const diagnostics: Diagnostic[] = [];
  const locate = (path: readonly (string | number)[]) => ({
    file: "/project/mcp.json",
    pointer: jsonPointer(path),
  });
  const report = (found: Diagnostic) => diagnostics.push(found);
  const { outcome } = readSourceEntry(entry, { ...CONTEXT, ...context }, locate, { report, remarksOn });
  return { outcome, diagnostics };
}

export function read(
  entry: unknown,
  context: Context = {},
): { definition: ServerDefinition; diagnostics: Diagnostic[] } {
  const { outcome, diagnostics } = reading(entry, context);
  if ("error" in outcome) throw outcome.error;
  return { definition: outcome.definition, diagnostics };
}

export function refused(entry: unknown, context: Context = {}): McpError {
  const { outcome } = reading(entry, context);
  if ("error" in outcome) return outcome.error;
  throw new Error("the entry was accepted");
}
