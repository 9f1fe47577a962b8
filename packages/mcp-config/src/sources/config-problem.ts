import { type DefinedIn, McpError, type Phase, type SourceLocation } from "@jackfield/mcp-core";
import { type ConfigDiagnostic, type DiagnosticCode, diagnose } from "../diagnostic-codes.ts";
import { quote } from "../server-name.ts";

/** An entry that could not be used, or without `server` a whole source. Everything else is used all the same. */
export interface ConfigProblem {
  /** The entry's name as written; missing if the file or the option as a whole is at fault. */
  readonly server?: string | undefined;
  /** The place of the entry, or of the file. */
  readonly definedIn: DefinedIn;
  /** What is wrong. Its `location` is the place of the fault itself: a field of the entry, a character of the file. */
  readonly error: McpError;
  /** The code of the diagnostic that says the same. */
  readonly kind: DiagnosticCode;
}

/** A problem as a diagnostic. */
export function describeProblem({ server, definedIn, error, kind }: ConfigProblem): ConfigDiagnostic {
  return diagnose(kind, error.message, error.location ?? locationOf(definedIn), { server });
}

/** The location of an entry, without its scope and host. */
export function locationOf({ file, line, column, pointer }: DefinedIn): SourceLocation {
  return { file, line, column, pointer };
}

/** A place as a message shows it: `/project/.mcp.json:12:7`, or the option if no file is involved. */
export function describeLocation({ file, line, column, pointer }: SourceLocation): string {
  if (file === undefined) return `option ${quote(pointer ?? "servers")}`;
  if (line === undefined) return file;
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

/** How many places a last diagnostic stands for, after the others named one each. */
export function describePlaces(count: number): string {
  return count === 1 ? "1 more place" : `${count} more places`;
}

/** An `MCP_CONFIG_INVALID` for one server, with its name and the place in front of the text. */
export function invalidServer(
  server: string,
  location: SourceLocation,
  text: string,
  phase: Phase = "config",
): McpError {
  const message = `Server ${quote(server)} (${describeLocation(location)}): ${text}`;
  return new McpError("MCP_CONFIG_INVALID", message, { server, phase, location });
}

/** An `MCP_CONFIG_INVALID` for a file or an option as a whole. */
export function invalidSource(location: SourceLocation, text: string): McpError {
  return new McpError("MCP_CONFIG_INVALID", `${describeLocation(location)}: ${text}`, {
    phase: "config",
    location,
  });
}
