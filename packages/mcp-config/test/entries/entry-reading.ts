import { type Diagnostic, isMcpError, type McpError } from "@jackfield/mcp-core";
import { jsonPointer } from "../../src/documents/json-path.ts";
import { readServerEntry } from "../../src/entries/server-entry.ts";
import { JACKFIELD } from "../../src/hosts/jackfield.ts";

export const CONTEXT = {
  name: "s",
  definedIn: { scope: "explicit", file: "/project/mcp.json", line: 3 },
  directory: "/project",
  inCode: false,
  platform: process.platform,
  dialect: JACKFIELD.entry,
  variables: JACKFIELD.variables,
  locate: (path: readonly (string | number)[]) => ({ file: "/project/mcp.json", pointer: jsonPointer(path) }),
} as const;

export function read(entry: unknown, context: Partial<Parameters<typeof readServerEntry>[1]> = {}) {
  const diagnostics: Diagnostic[] = [];
  const { definition } = readServerEntry(entry, { ...CONTEXT, ...context }, (found) =>
    diagnostics.push(found),
  );
  return { definition, diagnostics };
}

export function refused(
  entry: unknown,
  context: Partial<Parameters<typeof readServerEntry>[1]> = {},
): McpError {
  try {
    read(entry, context);
  } catch (error) {
    if (isMcpError(error)) return error;
    throw error;
  }
  throw new Error("the entry was accepted");
}
