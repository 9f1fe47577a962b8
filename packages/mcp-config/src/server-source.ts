import {
  type DefinedIn,
  type Diagnostic,
  type McpError,
  type ServerDefinition,
  toMcpError,
} from "@jackfield/mcp-core";
import type { ConfigProblem } from "./config-problem.ts";
import { type EntryPlace, readServerEntry } from "./server-entry.ts";
import { quote } from "./server-name.ts";

/** One name in a source: a server, or the reason why its entry is none. */
export interface SourceEntry {
  readonly name: string;
  readonly definedIn: DefinedIn;
  readonly outcome: { readonly definition: ServerDefinition } | { readonly error: McpError };
}

/** What one file, or the `servers` option, had to say. */
export interface ServerSource {
  readonly entries: readonly SourceEntry[];
  /** Why there are no entries at all. */
  readonly problem?: ConfigProblem | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads one entry; a fault becomes the entry's outcome, so that its neighbours are read as well. */
export function readSourceEntry(
  entry: unknown,
  place: EntryPlace,
  report: (diagnostic: Diagnostic) => void,
): SourceEntry {
  const { name, definedIn } = place;
  try {
    return { name, definedIn, outcome: { definition: readServerEntry(entry, place, report) } };
  } catch (cause) {
    const error = toMcpError(
      cause,
      "MCP_CONFIG_INVALID",
      `Server ${quote(name)}: its entry cannot be read.`,
      {
        server: name,
        phase: "config",
        location: definedIn,
      },
    );
    return { name, definedIn, outcome: { error } };
  }
}
